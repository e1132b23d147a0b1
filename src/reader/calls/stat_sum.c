/* SPDX-License-Identifier: MIT */
/* The figures of one site over its lanes. */
#include "stat_sum.h"

#include "arithmetic.h"
#include "atomic.h"

#include <string.h>

void hp_stat_sum_begin(struct hp_stat_sum *sum)
{
	hp_stat_sum_end(sum);
	sum->min = UINT64_MAX;
}

void hp_stat_sum_end(struct hp_stat_sum *sum)
{
	hp_octaves_clear(&sum->octaves);
	hp_alloc_sum_clear(&sum->alloc);
	*sum = (struct hp_stat_sum){ .calls = 0 };
}

uint32_t hp_stat_depth(const struct hp_stat *stat)
{
	uint32_t depth = load(&stat->depth, RELAXED);

	if (depth || load(&stat->repeats, RELAXED))
		return depth;
	return load(&stat->open_since, RELAXED) != 0;
}

/*
 * Outermost calls in progress count up to now. Operations do not record when they began; the caller does. The
 * caller's time is wall clock time with the profiler's part, because the others are a part of it.
 */
uint64_t hp_stat_so_far(const struct hp_snapshot *snapshot, const struct hp_lane *lane,
			const struct hp_stat *stat, bool is_caller)
{
	uint64_t since = load(&stat->open_since, RELAXED);

	if (!since || since >= snapshot->now)
		return 0;
	if (is_caller && load(&stat->open, RELAXED) > 0)
		return snapshot->now - since;
	return hp_stat_depth(stat) ? hp_snapshot_so_far(snapshot, lane, since) : 0;
}

/* ---- calls ---- */

/*
 * The calls of a stat at one moment. The recorder flushes them while we read, and then they are both in the ring and in the figures;
 * who scrapes would see sums that fall. So a stat is read again if it was being flushed.
 */
struct calls {
	uint64_t calls, flushed, total, self, nested;
	/* Durations with their flags, and exclusive times, of those that are in the ring only. */
	uint64_t packed[HP_FLUSH], inside[HP_FLUSH];
	/* The octaves that have calls, and their numbers. */
	struct hp_octave octaves[HP_OCTAVES];
	unsigned numbers[HP_OCTAVES];
	unsigned octave_count;
};

enum {
	/* A busy function is flushed every microsecond. The first try has touched the memory, so the second is quick. */
	TRIES = 4,
};

static void copy_waiting(struct calls *copy, const struct hp_stat *stat)
{
	for (uint64_t i = 0; i < HP_FLUSH && copy->flushed + i < copy->calls; i++) {
		uint64_t call = copy->flushed + i;
		copy->packed[i] = load(&stat->ring[call % HP_RING].duration, RELAXED);
		copy->inside[i] = load(&stat->places[call % HP_FLUSH], RELAXED) & HP_CALL_DURATION;
	}
}

static void copy_octaves(struct calls *copy, const struct hp_snapshot *snapshot,
			 const struct hp_stat *stat)
{
	copy->octave_count = 0;
	for (unsigned i = 0; i < HP_OCTAVES; i++) {
		/* Most have none, and need no check. */
		if (!load(&stat->octaves[i], RELAXED))
			continue;
		struct hp_counters counters = hp_check_octave(snapshot->bytes, stat->octaves, i);
		if (!counters.counts)
			continue;
		hp_octave_copy(&copy->octaves[copy->octave_count], counters);
		copy->numbers[copy->octave_count++] = i;
	}
}

/* Returns whether no call was flushed meanwhile. */
static bool copy_calls(struct calls *copy, const struct hp_snapshot *snapshot,
		       const struct hp_stat *stat)
{
	/* Pairs with the RELEASE of flushing: what is not in the figures is in the ring. */
	copy->flushed = load(&stat->flushed, ACQUIRE);
	copy->calls = load(&stat->calls, RELAXED);
	copy->total = load(&stat->total, RELAXED);
	copy->self = load(&stat->self, RELAXED);
	copy->nested = load(&stat->nested, RELAXED);
	copy_waiting(copy, stat);
	copy_octaves(copy, snapshot, stat);
	/* Keeps the reads above before those below. */
	fence(ACQUIRE);
	return load(&stat->flushed, RELAXED) == copy->flushed &&
	       load(&stat->calls, RELAXED) - copy->flushed < HP_FLUSH;
}

static void stretch(struct hp_stat_sum *sum, uint64_t min, uint64_t max)
{
	if (min < sum->min)
		sum->min = min;
	if (max > sum->max)
		sum->max = max;
}

/* How many calls are in buckets. */
static uint64_t in_buckets(const struct calls *copy)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < copy->octave_count; i++)
		calls += hp_octave_calls(&copy->octaves[i]);
	return calls;
}

/* Add the calls that are still only in the ring. Buckets may have been read later than the ring, and have some already. */
static void add_waiting(struct hp_stat_sum *sum, const struct calls *copy)
{
	bool is_counted = copy->flushed < copy->calls && !sum->without_histograms;
	uint64_t counted = is_counted ? in_buckets(copy) : 0;

	for (uint64_t i = 0; i < HP_FLUSH && copy->flushed + i < copy->calls; i++) {
		uint64_t duration = copy->packed[i] & HP_CALL_DURATION;

		*(copy->packed[i] & HP_CALL_NESTED ? &sum->nested : &sum->total) += duration;
		sum->self += copy->inside[i];
		stretch(sum, duration, duration);
		if (!sum->without_histograms && copy->flushed + i >= counted)
			hp_octaves_count(&sum->octaves, hp_bucket(duration), 1);
	}
}

static uint64_t add_calls(struct hp_stat_sum *sum, const struct hp_snapshot *snapshot,
			  const struct hp_stat *stat)
{
	struct calls copy;

	for (unsigned i = 0; i < TRIES && !copy_calls(&copy, snapshot, stat); i++)
		;
	sum->calls += copy.calls;
	sum->total += copy.total;
	sum->self += copy.self;
	sum->nested += copy.nested;
	for (unsigned i = 0; i < copy.octave_count; i++)
		hp_octaves_add_copy(&sum->octaves, copy.numbers[i], &copy.octaves[i]);
	stretch(sum, load(&stat->min, RELAXED), load(&stat->max, RELAXED));
	add_waiting(sum, &copy);
	return copy.calls;
}

/* ---- other figures ---- */

/* The caller's inclusive samples are all of its thread, which runs inside it. */
static void add_samples(struct hp_stat_sum *sum, const struct hp_lane *lane,
			const struct hp_stat *stat, bool is_caller)
{
	uint64_t inclusive = load(&stat->inclusive_samples, RELAXED);

	sum->samples += load(&stat->samples, RELAXED);
	sum->system_samples += load(&stat->flow[HP_CALL_SYSTEM_SAMPLES], RELAXED);
	sum->alloc_samples += load(&stat->flow[HP_CALL_ALLOC_SAMPLES], RELAXED);
	sum->queue_ns += load(&stat->flow[HP_CALL_QUEUE_NS], RELAXED);
	if (is_caller) {
		sum->samples += load(&lane->outside_samples, RELAXED);
		sum->system_samples += load(&lane->outside_system_samples, RELAXED);
		sum->alloc_samples += load(&lane->outside_alloc_samples, RELAXED);
		inclusive = load(&lane->samples, RELAXED) - load(&lane->own_samples, RELAXED);
	}
	sum->inclusive_samples += inclusive;
}

uint64_t hp_stat_sum_add(struct hp_stat_sum *sum, const struct hp_snapshot *snapshot,
			 const struct hp_lane *lane, const struct hp_stat *stat, bool is_caller)
{
	uint64_t calls = add_calls(sum, snapshot, stat);

	sum->counted += load(&stat->counted, RELAXED);
	sum->so_far += hp_stat_so_far(snapshot, lane, stat, is_caller);
	sum->open += (uint64_t)load(&stat->open, RELAXED) + hp_stat_depth(stat);
	add_samples(sum, lane, stat, is_caller);
	hp_alloc_sum_add(&sum->alloc, snapshot, lane, stat);
	return calls;
}

bool hp_stat_sum_has_any(const struct hp_stat_sum *sum)
{
	return sum->calls || sum->counted || (int64_t)sum->open > 0 || sum->samples ||
	       sum->alloc.has_any;
}

static uint64_t middle_ns(const void *snapshot, unsigned bucket)
{
	return hp_snapshot_ns(snapshot, hp_bucket_middle(bucket));
}

/*
 * The profiler's cost is subtracted as an average per call, so self time may come out slightly too low or too high.
 */
static uint64_t exclusive(const struct hp_stat_sum *sum)
{
	if ((int64_t)sum->self < 0)
		return 0;
	return hp_min(sum->self, sum->total);
}

static void set_figures(const struct hp_snapshot *snapshot, const struct hp_stat_sum *sum,
			struct hp_function *function)
{
	function->calls = sum->calls;
	function->counted = sum->counted;
	function->open = (int64_t)sum->open > 0 ? sum->open : 0;
	function->total_ns = hp_snapshot_ns(snapshot, sum->total + sum->so_far);
	function->self_ns = hp_snapshot_ns(snapshot, exclusive(sum));
	function->sum_ns = hp_snapshot_ns(snapshot, sum->total + sum->nested);
	if (sum->calls) {
		function->min_ns = hp_snapshot_ns(snapshot, sum->min);
		function->max_ns = hp_snapshot_ns(snapshot, sum->max);
	}
	function->cpu = (struct hp_cpu_figures){
		.samples = sum->samples,
		.inclusive_samples = sum->inclusive_samples,
		.system_samples = sum->system_samples,
		.queue_ns = sum->queue_ns,
		.alloc_ns = sum->alloc_samples * load(&snapshot->header->cpu_period_ns, RELAXED),
	};
}

bool hp_stat_sum_take(struct hp_stat_sum *sum, const struct hp_snapshot *snapshot,
		      struct hp_function *function)
{
	set_figures(snapshot, sum, function);
	return !sum->octaves.is_incomplete &&
	       hp_points_make(&function->times, sum->octaves.counts, middle_ns, snapshot) &&
	       hp_alloc_sum_take(&sum->alloc, &function->alloc);
}
