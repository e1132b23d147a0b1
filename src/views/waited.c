/* SPDX-License-Identifier: MIT */
/* What functions waited for: the rows of the kinds about waits, by function. */
#include "waited.h"

#include "arithmetic.h"
#include "kind.h"
#include "lower_bound.h"
#include "waits.h"

#include <stdlib.h>
#include <string.h>

/* Where a kind about waits keeps what: numbers of texts of its entries. */
struct source {
	const char *kind;
	unsigned target;
	unsigned detail;
	/** Returns false if the row belongs to another kind, too, or is none. */
	bool (*classify)(const struct hp_entry *entry, enum hp_waiting *waiting);
};

static const char *text_of(const struct hp_entry *entry, unsigned number)
{
	const char *text = entry->texts[number];

	return text && strcmp(text, "<unknown>") != 0 && *text ? text : NULL;
}

static bool is_lock(const struct hp_entry *entry, enum hp_waiting *waiting)
{
	(void)entry;
	*waiting = HP_WAITING_LOCK;
	return true;
}

static bool is_idle(const struct hp_entry *entry, enum hp_waiting *waiting)
{
	const char *reason = text_of(entry, 0);

	*waiting = HP_WAITING_IDLE;
	return !reason || strcmp(reason, "lock") != 0;
}

static bool is_io(const struct hp_entry *entry, enum hp_waiting *waiting)
{
	const char *class = text_of(entry, 2);

	if (class && strcmp(class, "disk") == 0)
		*waiting = HP_WAITING_DISK;
	else if (class && strcmp(class, "network") == 0)
		*waiting = HP_WAITING_NETWORK;
	else
		*waiting = HP_WAITING_PIPE;
	return true;
}

static const struct source sources[] = {
	{ "lock_waits", 1, 0, is_lock },
	{ "waits", 0, 1, is_idle },
	{ "io", 0, 1, is_io },
};

static const struct source *source_of(const struct hp_entry *entry)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(entry->kind->key, sources[i].kind) == 0)
			return &sources[i];
	return NULL;
}

/* Make a row of an entry. Returns false if it is about no wait. */
static bool take(const struct hp_entry *entry, struct hp_waited_row *row)
{
	const struct source *source = source_of(entry);
	const struct hp_times *times = &entry->times[0];

	if (!source || !times->sum_ns || !source->classify(entry, &row->waiting))
		return false;
	row->function = entry->name;
	row->target = text_of(entry, source->target);
	row->detail = text_of(entry, source->detail);
	row->count = times->count;
	row->ns = times->sum_ns;
	row->claims = 0;
	return true;
}

/* ---- waits that have not ended ---- */

static enum hp_waiting class_of(enum hp_reason reason)
{
	if (reason == HP_REASON_LOCK)
		return HP_WAITING_LOCK;
	if (reason < HP_REASON_DISK || reason > HP_REASON_PIPE)
		return HP_WAITING_IDLE;
	return (enum hp_waiting)(HP_WAITING_DISK + (reason - HP_REASON_DISK));
}

/* What is known of a wait that goes on. It may have begun before what the model is about. */
struct hp_waited_row hp_waited_now(const struct hp_model *model,
				   const struct hp_blocked_thread *thread)
{
	struct hp_waited_row row = { .function = thread->function ? thread->function : "<unknown>",
				     .waiting = class_of(thread->reason),
				     .target = thread->target,
				     .count = 1,
				     .ns = hp_min(thread->waited_ns, model->elapsed_ns) };

	if (row.waiting == HP_WAITING_LOCK)
		row.detail = thread->holder_function;
	if (row.waiting != HP_WAITING_IDLE)
		return row;
	row.target = hp_wait_reasons[thread->reason];
	row.detail = thread->target;
	return row;
}

/* The time of calls that go on is in the own time of functions if the call tree is known: else, these waits would be longer than
   that. */
bool hp_waited_has_now(const struct hp_model *model)
{
	return model->blocked.count && model->blocked.items[0].has_waited &&
	       (!hp_model_has_calls(model) || model->branch_count);
}

bool hp_waited_is_known(const struct hp_model *model)
{
	struct hp_waited_row row;

	for (size_t i = 0; i < model->entries.count; i++)
		if (take(&model->entries.items[i], &row))
			return true;
	return hp_waited_has_now(model);
}

static int compare_texts(const char *left, const char *right)
{
	return strcmp(left ? left : "", right ? right : "");
}

static bool is_same(const struct hp_waited_row *a, const struct hp_waited_row *b)
{
	return a->waiting == b->waiting && strcmp(a->function, b->function) == 0 &&
	       compare_texts(a->target, b->target) == 0 && compare_texts(a->detail, b->detail) == 0;
}

/* Add a row, or its times to that of the same wait. */
static void join(struct hp_waited *all, const struct hp_waited_row *row)
{
	size_t i = 0;

	while (i < all->count && !is_same(&all->rows[i], row))
		i++;
	if (i == all->count) {
		all->rows[all->count++] = *row;
		return;
	}
	all->rows[i].count += row->count;
	all->rows[i].ns += row->ns;
}

static void join_now(struct hp_waited *all, const struct hp_model *model)
{
	for (size_t i = 0; hp_waited_has_now(model) && i < model->blocked.count; i++) {
		const struct hp_waited_row row = hp_waited_now(model, &model->blocked.items[i]);
		if (row.ns)
			join(all, &row);
	}
}

static int by_function(const void *left, const void *right)
{
	const struct hp_waited_row *a = left, *b = right;
	int order = strcmp(a->function, b->function);

	if (!order)
		order = (a->waiting > b->waiting) - (a->waiting < b->waiting);
	if (!order)
		order = compare_texts(a->target, b->target);
	if (!order)
		order = (a->ns < b->ns) - (a->ns > b->ns);
	return order ? order : compare_texts(a->detail, b->detail);
}

bool hp_waited_collect(struct hp_waited *all, const struct hp_model *model)
{
	*all = (struct hp_waited){ NULL, 0 };
	all->rows = reallocarray(NULL, model->entries.count + model->blocked.count + 1,
				 sizeof(*all->rows));
	if (!all->rows)
		return false;
	for (size_t i = 0; i < model->entries.count; i++)
		if (take(&model->entries.items[i], &all->rows[all->count]))
			all->count++;
	join_now(all, model);
	if (all->count)
		qsort(all->rows, all->count, sizeof(*all->rows), by_function);
	return true;
}

static bool is_before(const void *element, const void *key)
{
	return strcmp(((const struct hp_waited_row *)element)->function, key) < 0;
}

struct hp_waited hp_waited_of(const struct hp_waited *all, const char *function)
{
	size_t first = hp_lower_bound(function, all->rows, all->count, sizeof(*all->rows),
				      is_before);
	struct hp_waited waited = { all->rows + first, 0 };

	while (first + waited.count < all->count &&
	       strcmp(waited.rows[waited.count].function, function) == 0)
		waited.count++;
	return waited;
}

void hp_waited_sum(const struct hp_waited *waited, uint64_t sums[HP_WAITINGS])
{
	memset(sums, 0, HP_WAITINGS * sizeof(*sums));
	for (size_t i = 0; i < waited->count; i++)
		sums[waited->rows[i].waiting] += waited->rows[i].ns;
}

uint64_t hp_waited_wakes(const struct hp_waited *waited)
{
	uint64_t wakes = 0;

	for (size_t i = 0; i < waited->count; i++)
		if (waited->rows[i].waiting < HP_WAITING_DISK)
			wakes += waited->rows[i].count;
	return wakes;
}

struct hp_waited_most hp_waited_most(const struct hp_waited *waited, enum hp_waiting waiting)
{
	struct hp_waited_most most = { NULL, 0, NULL, 0 }, one = most;

	for (size_t i = 0; i < waited->count; i++) {
		const struct hp_waited_row *row = &waited->rows[i];
		if (row->waiting != waiting)
			continue;
		/* The first of each target has the largest detail. */
		if (!one.target_ns || compare_texts(row->target, one.target) != 0)
			one = (struct hp_waited_most){ row->target, 0, row->detail, row->ns };
		one.target_ns += row->ns;
		if (one.target_ns > most.target_ns)
			most = one;
	}
	return most;
}

struct hp_waited hp_waited_longest(const struct hp_waited *all, enum hp_waiting waiting)
{
	struct hp_waited longest = { all->rows, 0 };
	uint64_t sums[HP_WAITINGS], most = 0;

	for (size_t i = 0; i < all->count;) {
		struct hp_waited one = hp_waited_of(all, all->rows[i].function);
		hp_waited_sum(&one, sums);
		if (sums[waiting] > most) {
			longest = one;
			most = sums[waiting];
		}
		i += one.count;
	}
	return longest;
}
