/* SPDX-License-Identifier: MIT */
/*
 * Flushing: adds the calls in a stat's ring to its figures and histogram, HP_FLUSH calls at a time.
 *
 * The hot path only writes each call into the ring. A batch is quicker than one call after the other: sums use vector
 * instructions, and of short calls so do extremes and the histogram, since they fall into a few buckets. For those
 * functions it matters: it takes 1 ns per call.
 */
#include "counting.h"

#include "branch.h"
#include "logged.h"
#include "process/buckets.h"
#include "process/clock.h"
#include "process/lanes.h"
#include "process/recorder_state.h"
#include "sleds/governor.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef uint64_t pair __attribute__((vector_size(16)));
/* Eight durations that have 15 bits: processors compare these in one instruction, also the first ones of x86-64. */
typedef int16_t eight __attribute__((vector_size(16)));
typedef int32_t four __attribute__((vector_size(16)));
typedef float four_floats __attribute__((vector_size(16)));

enum {
	PAIRS = HP_FLUSH / 2,
	EIGHTS = HP_FLUSH / 8,
	/* Independent partial sums, so that an addition need not wait for the one before. */
	SUMS = 4,
	/* If all calls of a batch are within so many buckets, they are counted by comparison. */
	FEW = 12,
	/* After so many timed calls the cost of calls is computed again. */
	TIMED = 16,
	/* Bytes of a cache line; and how many octaves are often in use, those up to some tens of microseconds. */
	LINE = 64,
	OFTEN = 12,
	/* A float has so many bits of fraction, and adds the bias to its exponent. FIRST_OCTAVE is the highest bits of the float with
	   which the first octave begins, as many as tell octave and bucket. */
	FLOAT_FRACTION = 23,
	FLOAT_BIAS = 127,
	FIRST_OCTAVE = (FLOAT_BIAS + HP_SUB_BITS - 1) << HP_SUB_BITS,
};

struct batch {
	uint64_t total, self, min, max;
	/* All bits that are set in one of the durations, or in the flags beside them. */
	uint64_t bits;
	/* All calls belong to the same node. */
	bool same_node;
};

/*
 * In a program with many functions, what a flush needs was last used long ago, and is not in the nearest cache. What can be
 * told beforehand is fetched at once: places, the node of the latest call, and the histogram's octaves. The ring is read first
 * anyway.
 */
static inline void fetch_ahead(const struct thread *me, const struct hp_stat *stat)
{
	const struct hp_node *node = hotpath__numbered_node(me, stat->places[HP_FLUSH - 1]);

	if (likely(node))
		__builtin_prefetch(&node->calls, 1);
	for (unsigned i = 0; i < HP_FLUSH; i += LINE / sizeof(stat->places[0]))
		__builtin_prefetch(&stat->places[i]);
	for (unsigned i = 0; i < OFTEN; i += LINE / sizeof(stat->octaves[0]))
		__builtin_prefetch(&stat->octaves[i]);
}

static inline eight smaller(eight a, eight b)
{
#if defined(__SSE2__)
	return (eight)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
	eight less = a < b;

	return (a & less) | (b & ~less);
#endif
}

static inline eight larger(eight a, eight b)
{
	return ~smaller(~a, ~b);
}

static inline pair sum_of(const pair parts[SUMS])
{
	return parts[0] + parts[1] + parts[2] + parts[3];
}

/* Sum up durations, and pack them, in any order: four in a word. If one has more than 15 bits, what is packed is not to be
   used. */
static inline void take_durations(struct batch *batch, const struct hp_ring_entry *calls,
				  eight durations[EIGHTS])
{
	pair total[SUMS] = { { 0 } }, bits[SUMS] = { { 0 } };

#pragma GCC unroll 4
	for (unsigned i = 0; i < EIGHTS; i++) {
		pair packed = { 0 };
#pragma GCC unroll 4
		for (unsigned j = 0; j < 4; j++) {
			pair two = { calls[8 * i + j].duration, calls[8 * i + 4 + j].duration };
			total[j] += two;
			bits[j] |= two;
			packed |= two << 16 * j;
		}
		durations[i] = (eight)packed;
	}
	pair all = sum_of(total), set = bits[0] | bits[1] | bits[2] | bits[3];
	batch->total = all[0] + all[1];
	batch->bits = set[0] | set[1];
}

/* Sum up exclusive times, and find out whether all places are of the same node. */
static inline void take_places(struct batch *batch, const pair *places)
{
	pair self[SUMS] = { { 0 } }, differ[SUMS] = { { 0 } };
	pair first = { places[0][0], places[0][0] }, own = { HP_CALL_DURATION, HP_CALL_DURATION };

	for (unsigned i = 0; i < PAIRS; i += SUMS) {
#pragma GCC unroll 4
		for (unsigned j = 0; j < SUMS; j++) {
			self[j] += places[i + j] & own;
			differ[j] |= places[i + j] ^ first;
		}
	}
	pair inside = sum_of(self);
	pair other = differ[0] | differ[1] | differ[2] | differ[3];
	batch->self = inside[0] + inside[1];
	batch->same_node = (other[0] | other[1]) >> HP_NODE_SHIFT == 0;
}

/* The smallest of eight durations: of halves, then of quarters. */
static inline uint64_t smallest(eight all)
{
	pair halves = (pair)all;

	all = smaller(all, (eight)(pair){ halves[1], halves[0] });
	all = smaller(all, (eight)((pair)all >> 32));
	all = smaller(all, (eight)((pair)all >> 16));
	return (uint64_t)all[0];
}

/* All durations fit into 15 bits. */
static inline bool is_short(const struct batch *batch)
{
	return batch->bits <= INT16_MAX;
}

static inline void find_short_extremes(struct batch *batch, const eight *durations)
{
	eight min = smaller(smaller(durations[0], durations[1]),
			    smaller(durations[2], durations[3]));
	eight max = larger(larger(durations[0], durations[1]), larger(durations[2], durations[3]));

	static_assert(EIGHTS == 4, "all are compared");
	batch->min = smallest(min);
	batch->max = INT16_MAX - smallest(INT16_MAX - max);
}

static inline void find_extremes(struct batch *batch, const struct hp_ring_entry *calls,
				 const eight *durations)
{
	if (likely(is_short(batch))) {
		find_short_extremes(batch, durations);
		return;
	}
	batch->min = batch->max = calls[0].duration;
	for (unsigned i = 1; i < HP_FLUSH; i++) {
		batch->min = calls[i].duration < batch->min ? calls[i].duration : batch->min;
		batch->max = calls[i].duration > batch->max ? calls[i].duration : batch->max;
	}
}

static inline uint32_t count_from(const eight *durations, uint64_t low)
{
	int16_t below = (int16_t)(low - 1);
	eight limit = { below, below, below, below, below, below, below, below };

	/* A comparison that is true gives -1. */
	eight calls = -((durations[0] > limit) + (durations[1] > limit) + (durations[2] > limit) +
			(durations[3] > limit));
	pair sums = (pair)calls;
	/* Of four sums in a word, none of which is more than HP_FLUSH, the product has the sum at the top. */
	return (uint32_t)((sums[0] + sums[1]) * UINT64_C(0x0001000100010001) >> 48);
}

/* Count a batch that falls into a few neighbouring buckets: for each bucket, how many calls are above it. */
static void count_few(struct thread *me, struct hp_stat *stat, const eight *durations,
		      unsigned bucket, unsigned last)
{
	uint32_t left = HP_FLUSH;

	for (; bucket < last; bucket++) {
		uint32_t above = count_from(durations, hp_bucket_low(bucket + 1));
		if (above != left)
			hotpath__count_value(me, stat->octaves, bucket, left - above);
		left = above;
	}
	hotpath__count_value(me, stat->octaves, last, left);
}

static void stretch(struct hp_stat *stat, uint64_t min, uint64_t max)
{
	if (unlikely(min < stat->min))
		store(&stat->min, min, RELAXED);
	if (unlikely(max > stat->max))
		store(&stat->max, max, RELAXED);
}

/* Add calls to a node, given their sums. `place` is that of one of them. */
static void add_to_node(struct thread *me, uint64_t place, uint64_t calls, uint64_t total,
			uint64_t self)
{
	struct hp_node *into = hotpath__numbered_node(me, place);

	if (!into)
		return;
	add(&into->calls, calls);
	add(&into->total, total);
	add(&into->self, self);
}

static void flush_one(struct thread *me, struct hp_stat *stat, uint64_t call)
{
	uint64_t packed = stat->ring[call % HP_RING].duration, duration = packed & HP_CALL_DURATION;
	uint64_t place = stat->places[call % HP_FLUSH], self = place & HP_CALL_DURATION;
	struct hp_node *node = hotpath__numbered_node(me, place);

	if (packed & HP_CALL_NESTED)
		add(&stat->nested, duration);
	else
		add(&stat->total, duration);
	add(&stat->self, self);
	if (packed & HP_CALL_SAME_NODE && node)
		store(&node->recursive, 1, RELAXED);
	add_to_node(me, place, 1, packed & HP_CALL_SAME_NODE ? 0 : duration, self);
	stretch(stat, duration, duration);
	hotpath__count_value(me, stat->octaves, hp_bucket(duration), 1);
}

static void flush_nodes(struct thread *me, const struct hp_stat *stat,
			const struct hp_ring_entry *calls, const struct batch *batch)
{
	if (likely(batch->same_node)) {
		add_to_node(me, stat->places[0], HP_FLUSH, batch->total, batch->self);
		return;
	}
	for (unsigned i = 0; i < HP_FLUSH; i++)
		add_to_node(me, stat->places[i], 1, calls[i].duration,
			    stat->places[i] & HP_CALL_DURATION);
}

/*
 * The buckets of four durations that have 24 bits at most. A float has its exponent above the bits that follow the first one, so
 * octave and bucket are its highest bits. All values below 128 have a bucket of their own: those of the lower half are moved to the upper
 * one, which is an octave, and back. The conversion is exact, so it leaves no mark in the program's floating-point status.
 */
static inline four buckets_of(four durations)
{
	four lowest = (durations < HP_OCTAVE_BUCKETS) & HP_OCTAVE_BUCKETS;
	four_floats values = __builtin_convertvector(durations + lowest, four_floats);

	return ((four)values >> (FLOAT_FRACTION - HP_SUB_BITS)) - FIRST_OCTAVE - lowest;
}

static inline void find_short_buckets(const eight durations[EIGHTS], uint16_t buckets[HP_FLUSH])
{
	for (size_t i = 0; i < EIGHTS; i++) {
		four even = (four)durations[i] & INT16_MAX, odd = (four)durations[i] >> 16;
		eight all = (eight)(buckets_of(even) | buckets_of(odd) << 16);
		__builtin_memcpy(&buckets[8 * i], &all, sizeof(all));
	}
}

static inline void find_buckets(const struct hp_ring_entry *calls, const eight durations[EIGHTS],
				bool is_short, uint16_t buckets[HP_FLUSH])
{
	if (likely(is_short)) {
		find_short_buckets(durations, buckets);
		return;
	}
	for (unsigned i = 0; i < HP_FLUSH; i++)
		buckets[i] = (uint16_t)hp_bucket(calls[i].duration);
}

/* Find the counters of a batch that is spread over many buckets, all before the first is used: so the processor fetches them side by
   side, while the rest of the batch is added up. Returns whether all are there. */
static inline bool find_counters(const struct thread *me, const struct hp_stat *stat,
				 const uint16_t buckets[HP_FLUSH], uint32_t counters[HP_FLUSH])
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < HP_FLUSH; i++) {
		counters[i] = hotpath__low_counter(stat->octaves, buckets[i]);
		if (unlikely(!counters[i]))
			return false;
		__builtin_prefetch(me->base + counters[i], 1);
	}
	return true;
}

/* Count a batch in the counters that were found. Once one of them is full, others may not be in use any more. */
static inline void count_each(struct thread *me, struct hp_stat *stat,
			      const uint16_t buckets[HP_FLUSH], const uint32_t counters[HP_FLUSH],
			      bool is_found)
{
	unsigned i = 0;

	while (is_found && i < HP_FLUSH && hotpath__count_low(me, counters[i]))
		i++;
	for (; i < HP_FLUSH; i++)
		hotpath__count_value(me, stat->octaves, buckets[i], 1);
}

static void flush_batch(struct thread *me, struct hp_stat *stat)
{
	const struct hp_ring_entry *calls = &stat->ring[stat->flushed % HP_RING];
	uint32_t counters[HP_FLUSH];
	uint16_t buckets[HP_FLUSH];
	eight durations[EIGHTS];
	struct batch batch;
	bool found = false;

	fetch_ahead(me, stat);
	take_durations(&batch, calls, durations);
	if (unlikely(batch.bits > HP_CALL_DURATION)) {
		for (unsigned i = 0; i < HP_FLUSH; i++)
			flush_one(me, stat, stat->flushed + i);
		return;
	}
	find_extremes(&batch, calls, durations);
	stretch(stat, batch.min, batch.max);
	unsigned first = hp_bucket(batch.min), last = hp_bucket(batch.max);
	bool few = is_short(&batch) && last - first <= FEW;
	if (!few) {
		find_buckets(calls, durations, is_short(&batch), buckets);
		found = find_counters(me, stat, buckets, counters);
	}

	take_places(&batch, (const pair *)(const void *)stat->places);
	add(&stat->total, batch.total);
	add(&stat->self, batch.self);
	flush_nodes(me, stat, calls, &batch);
	if (few)
		count_few(me, stat, durations, first, last);
	else
		count_each(me, stat, buckets, counters, found);
}

/*
 * While this runs, a reader may find calls both in the ring and in the figures. No call is missing at any time, and
 * the number of calls is always right.
 */
static inline void flush(struct thread *me, struct hp_stat *stat)
{
	if (likely(stat->calls - stat->flushed == HP_FLUSH && stat->flushed % HP_FLUSH == 0))
		flush_batch(me, stat);
	else
		for (uint64_t i = stat->flushed; i < stat->calls; i++)
			flush_one(me, stat, i);
	/* Pairs with the reader's ACQUIRE: calls up to here are in the figures. */
	store(&stat->flushed, stat->calls, RELEASE);
}

/*
 * Flushing takes the time of several calls, inside the call around the one that just ended: it is subtracted from
 * that call, with what is still being fetched for it from memory. Not more than about 30 µs, though: what is longer was another
 * program's time.
 */
static inline void take_off(struct thread *me, uint64_t start, uint64_t calls)
{
	uint64_t end = unlikely(hotpath__monotonic) ? hotpath__monotonic_ns()
						    : hotpath__counter_after();
	uint64_t taken = end - start;
	uint64_t most = load(&hotpath__header()->ticks_per_second, RELAXED) >> 15;

	if (taken > most)
		taken = most;
	me->top->lost += taken << 8;
	add(&me->lane->cost, taken + (me->span_cost * calls >> 8));
	add(&me->lane->cost_calls, calls);
}

/* Flush a stat; `calls` of the calls in it were measured by spans or functions, which have a cost of their own. */
static void flush_some(struct thread *me, struct hp_stat *stat, uint64_t calls)
{
	uint64_t start = hotpath__ticks();

	flush(me, stat);
	take_off(me, start, calls);
}

void hotpath__flush(struct thread *me, struct hp_stat *stat)
{
	flush_some(me, stat, 0);
}

/* Calls that did not take the hot path. */
static void flush_counted(struct thread *me, struct hp_stat *stat)
{
	flush_some(me, stat, stat->calls - stat->flushed);
	if (hotpath__ticks() >= me->governed.due)
		hotpath__govern(me);
}

/*
 * Time the end of the call that the hot path has just stored, from its reading of the clock to here, or to where it knows that it
 * was done: what saves registers for this flush is no part of other ends. The next call begins on a longer way, on which that is
 * timed too.
 */
static void time_end(struct thread *me, uint64_t end)
{
	const struct followed_cost *cost = &hotpath__recorder->followed_cost;
	uint64_t done = me->end_done ? me->end_done : hotpath__counter_in_order();

	me->end_done = 0;
	hotpath__add_timed(me, cost, done - end);
	if (++me->timed % TIMED == 0 && cost->base) {
		uint64_t more = (me->timed_sum << 8) / TIMED - cost->base;
		me->span_cost = hotpath__at_least(hotpath__recorder->span_cost + more, 0);
		me->timed_sum = 0;
	}
	me->times_next = true;
	store(&me->limit, me->frames, RELAXED);
}

/* The last call in the ring has ended just now, so its end is the start of flushing. */
void hotpath__flush_and_leave(struct thread *me, struct hp_stat *stat)
{
	uint64_t start = stat->ring[(stat->calls - 1) % HP_RING].end;
	uint64_t calls = stat->calls - stat->flushed;

	/* While the cost is being measured, with each flush. */
	if (unlikely(hotpath__times_end(me) || !hotpath__recorder->followed_cost.base))
		time_end(me, start);
	me->flushes++;
	flush(me, stat);
	take_off(me, start, calls);
	if (unlikely(start >= me->governed.due))
		hotpath__govern(me);
	hotpath__leave_busy(me);
}

static void keep_long(struct thread *me, struct hp_stat *stat, uint64_t place)
{
	size_t size = hotpath__settings()->max_log_len + 1;
	char *texts = hotpath__long_texts(me, stat);

	if (texts)
		hotpath__store_text(&texts[place * size], size, me->logged_text);
}

/* Store the logged value of a call in the same place as the call has in the ring. */
static uint64_t keep_value(struct thread *me, struct hp_stat *stat)
{
	uint64_t place = stat->calls % HP_RING;
	uint64_t *values = hotpath__values(me, stat);
	char *texts = me->value_kind == HP_VALUE_STRING ? hotpath__texts(me, stat) : NULL;

	me->logged_by = NULL;
	if (!values || (me->value_kind == HP_VALUE_STRING && !texts))
		return HP_VALUE_NONE;
	store(&values[place], me->value, RELAXED);
	if (texts)
		hotpath__store_text(&texts[place * HP_TEXT_SIZE], HP_TEXT_SIZE, me->logged_text);
	if (texts && me->logged_text == me->long_text)
		keep_long(me, stat, place);
	return me->value_kind;
}

void hotpath__count_call(struct thread *me, const struct branch *branch, struct call call,
			 const void *open)
{
	struct hp_stat *stat = branch->stat;
	uint64_t kind = open && me->logged_by == open ? keep_value(me, stat)
						      : (uint64_t)HP_VALUE_NONE;
	uint64_t flags = call.flags | kind << HP_CALL_VALUE_SHIFT;

	store_pair(&stat->ring[stat->calls % HP_RING].end, call.end, call.duration | flags);
	store(&stat->places[stat->calls % HP_FLUSH], branch->inner | call.self, RELAXED);
	store(&stat->calls, stat->calls + 1, RELAXED);
	if (stat->calls % HP_FLUSH == 0)
		flush_counted(me, stat);
}
