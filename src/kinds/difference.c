/* SPDX-License-Identifier: MIT */
/* Differences of rows: what happened between two reads of one program. */
#include "difference.h"

#include "arithmetic.h"
#include "histogram.h"
#include "kind.h"

#include <string.h>

/* ---- histograms ---- */

/* How the value of a bucket may differ between two reads. */
enum values {
	/* The clock may have been calibrated anew. */
	VALUES_OF_CLOCK,
	/* The value may be the mean of what is in the bucket. */
	VALUES_IN_BUCKET,
};

static uint64_t distance(uint64_t a, uint64_t b, enum values values)
{
	if (values == VALUES_IN_BUCKET) {
		a = hp_bucket(a);
		b = hp_bucket(b);
	}
	return hp_max(a, b) - hp_min(a, b);
}

/* Buckets of times are at least 1/128 apart, unless each has one value. */
static uint64_t most_distance(uint64_t value, enum values values)
{
	return values == VALUES_IN_BUCKET ? 0 : hp_max(value / 256, 1);
}

static void drop_empty_points(struct hp_points *points)
{
	size_t kept = 0;

	for (size_t i = 0; i < points->count; i++)
		if (points->items[i].count)
			points->items[kept++] = points->items[i];
	points->count = kept;
}

/* Take an earlier histogram of the same calls out of a later one: each bucket out of the nearest. */
static void subtract_points(struct hp_points *points, const struct hp_points *earlier,
			    enum values values)
{
	struct hp_point *at = points->items;
	const struct hp_point *last = points->count ? at + points->count - 1 : at;

	for (size_t i = 0; points->count && i < earlier->count; i++) {
		const struct hp_point *less = &earlier->items[i];
		while (at < last && distance(at[1].value, less->value, values) <=
					    distance(at->value, less->value, values))
			at++;
		if (distance(at->value, less->value, values) <= most_distance(less->value, values))
			at->count = hp_minus(at->count, less->count);
	}
	drop_empty_points(points);
}

void hp_times_subtract(struct hp_points *times, const struct hp_points *earlier)
{
	subtract_points(times, earlier, VALUES_OF_CLOCK);
}

/* The least and the most of some calls; both are 0 when there was none. */
struct extremes {
	uint64_t count;
	uint64_t least;
	uint64_t most;
};

static uint64_t between(uint64_t value, const struct extremes *bounds)
{
	return hp_min(hp_max(value, bounds->least), bounds->most);
}

/* The extremes of what is left in a histogram, of which so many calls are left. */
static struct extremes extremes_of(const struct hp_points *left, uint64_t count,
				   const struct extremes *now, const struct extremes *then)
{
	if (!count)
		return (struct extremes){ 0, 0, 0 };
	struct extremes extremes = { count, now->least, now->most };
	if (!left->count)
		return extremes;
	if (then->count && now->least >= then->least)
		extremes.least = between(left->items[0].value, now);
	if (now->most <= then->most)
		extremes.most = between(left->items[left->count - 1].value, now);
	return extremes;
}

/* ---- rows ---- */

void hp_row_subtract(const struct hp_field *fields, void *row, const void *earlier)
{
	enum values values = fields == hp_alloc_fields ? VALUES_IN_BUCKET : VALUES_OF_CLOCK;

	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++) {
		if (field->merge == HP_MERGE_SUM && !field->is_level)
			hp_row_set(row, field->at,
				   hp_minus(hp_row_number(row, field->at),
					    hp_row_number(earlier, field->at)));
		if (field->unit == HP_FIELD_POINTS)
			subtract_points(hp_row_points_of(row, field->at),
					hp_row_points(earlier, field->at), values);
	}
}

void hp_function_subtract(struct hp_function *function, const struct hp_function *earlier)
{
	struct extremes now = { function->calls, function->min_ns, function->max_ns };
	struct extremes then = { earlier->calls, earlier->min_ns, earlier->max_ns };

	hp_row_subtract(hp_call_fields, function, earlier);
	hp_row_subtract(hp_alloc_fields, function, earlier);
	hp_row_subtract(hp_sample_fields, function, earlier);
	struct extremes left = extremes_of(&function->times, function->calls, &now, &then);
	function->min_ns = left.least;
	function->max_ns = left.most;
}

static void subtract_times(struct hp_times *times, const struct hp_times *earlier)
{
	struct extremes now = { times->count, times->min_ns, times->max_ns };
	struct extremes then = { earlier->count, earlier->min_ns, earlier->max_ns };

	times->count = hp_minus(times->count, earlier->count);
	times->sum_ns = hp_minus(times->sum_ns, earlier->sum_ns);
	subtract_points(&times->points, &earlier->points, VALUES_OF_CLOCK);
	struct extremes left = extremes_of(&times->points, times->count, &now, &then);
	times->min_ns = left.least;
	times->max_ns = left.most;
}

/* States follow from counts since the start, not from those that are left. */
static void settle(struct hp_entry *entry)
{
	struct hp_entry before = *entry;

	if (!entry->kind->settle)
		return;
	entry->kind->settle(entry);
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++)
		if (field->unit == HP_FIELD_WORD)
			hp_row_set(entry, field->at, hp_row_number(&before, field->at));
}

void hp_entry_subtract(struct hp_entry *entry, const struct hp_entry *earlier)
{
	hp_row_subtract(entry->kind->fields, entry, earlier);
	for (unsigned i = 0; i < entry->kind->times; i++)
		subtract_times(&entry->times[i], &earlier->times[i]);
	settle(entry);
}

bool hp_entry_is_idle(const struct hp_entry *entry)
{
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++)
		if (field->unit == HP_FIELD_VALUE)
			return false;
	for (unsigned i = 0; i < entry->kind->times; i++)
		if (entry->times[i].count)
			return false;
	return !hp_row_has_counts(entry->kind->fields, entry);
}

/* ---- threads ---- */

/* A thread is known by its number and start; saved reports do not tell the start. */
static bool is_same_thread(const struct hp_thread *a, const struct hp_thread *b)
{
	return a->tid && a->tid == b->tid && a->pid == b->pid &&
	       (a->since == b->since || !a->since || !b->since);
}

/* A sum of ended threads of one name. */
static bool is_sum_of(const struct hp_thread *sum, const struct hp_thread *thread)
{
	return !sum->tid && thread->name && strcmp(sum->name, thread->name) == 0;
}

static struct hp_thread *find_thread(struct hp_threads *threads, const struct hp_thread *thread)
{
	for (size_t i = 0; i < threads->count; i++)
		if (is_same_thread(&threads->items[i], thread))
			return &threads->items[i];
	for (size_t i = 0; i < threads->count; i++)
		if (is_sum_of(&threads->items[i], thread))
			return &threads->items[i];
	return &threads->rest;
}

static void subtract_thread(struct hp_thread *thread, const struct hp_thread *earlier)
{
	bool has_times = thread->has_times;

	hp_row_subtract(hp_kind_threads.fields, thread, earlier);
	thread->recorded_ns = hp_minus(thread->recorded_ns, earlier->recorded_ns);
	thread->before_ns = hp_minus(thread->before_ns, earlier->before_ns);
	thread->cpu_avg = HP_CPU_PERCENT_UNKNOWN;
	if (has_times)
		hp_thread_set_times(thread, thread->user_ns, thread->system_ns, thread->queue_ns);
}

void hp_threads_subtract(struct hp_threads *threads, const struct hp_threads *earlier)
{
	for (size_t i = 0; i < earlier->count; i++)
		subtract_thread(find_thread(threads, &earlier->items[i]), &earlier->items[i]);
	subtract_thread(&threads->rest, &earlier->rest);
}
