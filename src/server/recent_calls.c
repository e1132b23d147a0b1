/* SPDX-License-Identifier: MIT */
/* How long calls took since the last time: percentiles of what a histogram has more than it had then. */
#include "recent_calls.h"

#include "difference.h"
#include "function_json.h"
#include "now.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Functions with the most time, if the client names none: as many as the page charts at first, and some. */
	BUSIEST = 4,
};

static void forget(struct hp_recent_function *item)
{
	free(item->before.items);
	item->before = (struct hp_points){ NULL, 0 };
	item->id = 0;
	item->reading = 0;
}

void hp_recent_calls_restart(struct hp_recent_calls *recent)
{
	for (size_t i = 0; i < recent->count; i++)
		forget(&recent->items[i]);
}

void hp_recent_calls_free(struct hp_recent_calls *recent)
{
	hp_recent_calls_restart(recent);
	for (size_t i = 0; i < recent->count; i++)
		free(recent->items[i].name);
	*recent = (struct hp_recent_calls){ .count = 0 };
}

/* ---- which functions ---- */

static bool add_name(struct hp_recent_calls *recent, const char *name, size_t length)
{
	char *copy = strndup(name, length);

	if (copy)
		recent->items[recent->count++] = (struct hp_recent_function){ .name = copy };
	return copy;
}

bool hp_recent_calls_ask(struct hp_recent_calls *recent, struct hp_request *request)
{
	const char *names = hp_request_value(request, "recent");
	bool done = true;

	recent->is_asked = names;
	recent->began_ns = hp_now_ns();
	for (; done && names && *names; names += strspn(names, "\n")) {
		size_t length = strcspn(names, "\n");
		if (length && recent->count == HP_RECENT_CALLS) {
			hp_request_fail(request, 400, "recent: more than %d functions",
					HP_RECENT_CALLS);
			return false;
		}
		done = !length || add_name(recent, names, length);
		names += length;
	}
	if (!done)
		hp_request_fail(request, 503, "out of memory");
	return done;
}

/* Of functions with the same name, in several files, the one with the most time. */
static const struct hp_function *row_named(const struct hp_model *model, const char *name)
{
	const struct hp_function *found = NULL;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *row = &model->functions[i];
		if (strcmp(row->name, name) == 0 && (!found || row->total_ns > found->total_ns))
			found = row;
	}
	return found;
}

static bool is_row(const struct hp_recent_function *item, const struct hp_function *row)
{
	return item->row_id == row->id && strcmp(item->name, row->name) == 0;
}

static const struct hp_function *row_of(const struct hp_recent_function *item,
					const struct hp_model *model)
{
	if (!item->row_id)
		return row_named(model, item->name);
	for (size_t i = 0; i < model->function_count; i++)
		if (is_row(item, &model->functions[i]))
			return &model->functions[i];
	return NULL;
}

/* The functions with the most time, without the one that is 100 %. Returns how many there are. */
static size_t find_busiest(const struct hp_model *model, const struct hp_function *busiest[BUSIEST])
{
	size_t count = 0;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *row = &model->functions[i];
		size_t at = count;
		if (row->is_caller)
			continue;
		for (; at > 0 && busiest[at - 1]->total_ns < row->total_ns; at--)
			if (at < BUSIEST)
				busiest[at] = busiest[at - 1];
		if (at == BUSIEST)
			continue;
		busiest[at] = row;
		count += count < BUSIEST;
	}
	return count;
}

/* Of functions with the same name, leave the busiest: a client knows them by their names. Returns how many are left. */
static size_t leave_names(const struct hp_function *rows[BUSIEST], size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		size_t same = 0;
		while (same < left && strcmp(rows[same]->name, rows[i]->name) != 0)
			same++;
		if (same == left)
			rows[left++] = rows[i];
	}
	return left;
}

static bool is_among(const struct hp_recent_function *item, const struct hp_function *const *rows,
		     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_row(item, rows[i]))
			return true;
	return false;
}

static bool has_row(const struct hp_recent_calls *recent, const struct hp_function *row)
{
	for (size_t i = 0; i < recent->count; i++)
		if (is_row(&recent->items[i], row))
			return true;
	return false;
}

static void add_row(struct hp_recent_calls *recent, const struct hp_function *row)
{
	if (recent->count < HP_RECENT_CALLS && add_name(recent, row->name, strlen(row->name)))
		recent->items[recent->count - 1].row_id = row->id;
}

/* Others may have the most time now; those that stay keep what is known of them. */
static void choose_busiest(struct hp_recent_calls *recent, const struct hp_model *model)
{
	const struct hp_function *busiest[BUSIEST] = { NULL };
	size_t count = leave_names(busiest, find_busiest(model, busiest));

	for (size_t i = recent->count; i-- > 0;) {
		if (is_among(&recent->items[i], busiest, count))
			continue;
		forget(&recent->items[i]);
		free(recent->items[i].name);
		recent->items[i] = recent->items[--recent->count];
	}
	for (size_t i = 0; i < count; i++)
		if (!has_row(recent, busiest[i]))
			add_row(recent, busiest[i]);
}

void hp_recent_calls_want(struct hp_recent_calls *recent, struct hp_program *program,
			  uint64_t for_ns)
{
	uint64_t now = hp_now_ns();

	for (size_t i = 0; i < recent->count; i++)
		if (recent->items[i].id)
			hp_program_want(program, recent->items[i].id, now + for_ns);
}

/* ---- what they did ---- */

static void put_percentiles(const struct hp_points *since, uint64_t calls,
			    const struct hp_report_options *options, struct hp_json *json)
{
	uint64_t least = since->items[0].value, most = since->items[since->count - 1].value;

	for (unsigned i = 0; i < options->percentile_count; i++) {
		double percent = options->percentiles[i];
		hp_json_percentile_key(json, "", percent, "ns");
		hp_json_u64(json, hp_points_percentile(since, calls, least, most, percent));
	}
}

static void put_difference(const struct hp_recent_function *item, const struct hp_points *now,
			   const struct hp_report_options *options, struct hp_json *json)
{
	struct hp_points since = { NULL, 0 };

	if (hp_points_merge(&since, now))
		return;
	hp_times_subtract(&since, &item->before);
	uint64_t calls = hp_points_calls(&since);
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", item->name);
	hp_json_member_u64(json, "calls", calls);
	if (calls)
		put_percentiles(&since, calls, options, json);
	hp_json_end_object(json);
	free(since.items);
}

static void keep(struct hp_recent_function *item, const struct hp_points *now, uint64_t reading)
{
	free(item->before.items);
	item->before = (struct hp_points){ NULL, 0 };
	item->reading = hp_points_merge(&item->before, now) ? 0 : reading;
}

/* Fewer calls than before are those of another session, which a model of several processes does not tell. */
static void put_function(struct hp_recent_function *item, uint64_t began_ns,
			 const struct hp_program *program, const struct hp_model *model,
			 const struct hp_report_options *options, struct hp_json *json)
{
	const struct hp_function *row = row_of(item, model);
	uint64_t reading = row ? hp_program_histogram(program, row->id) : 0;

	/* What was kept is of another function of the same name. */
	if (row && item->id && item->id != row->id)
		forget(item);
	item->id = row ? row->id : 0;
	if (!reading || reading == item->reading)
		return;
	if (item->reading && hp_points_calls(&row->times) >= hp_points_calls(&item->before))
		put_difference(item, &row->times, options, json);
	/* What was read before the stream began would make a difference with calls of that time. */
	if (item->reading ||
	    (program->read_ns >= began_ns && hp_program_has_newest_calls(program, row->id)))
		keep(item, &row->times, reading);
}

void hp_recent_calls_put(struct hp_recent_calls *recent, const struct hp_program *program,
			 const struct hp_model *model, const struct hp_report_options *options,
			 struct hp_json *json)
{
	if (recent->session != model->session)
		hp_recent_calls_restart(recent);
	recent->session = model->session;
	if (!recent->is_asked)
		choose_busiest(recent, model);
	hp_json_begin_array(json);
	for (size_t i = 0; i < recent->count; i++)
		put_function(&recent->items[i], recent->began_ns, program, model, options, json);
	hp_json_end_array(json);
}
