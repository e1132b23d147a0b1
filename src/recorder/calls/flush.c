/* SPDX-License-Identifier: MIT */
/*
 * Flushing: adds the calls in a stat's ring to its figures and histogram, HP_FLUSH calls at a time.
 *
 * The hot path only writes each call into the ring. A batch is quicker than one call after the other: sums and
 * extremes use vector instructions, and so does the histogram of very short functions, whose calls fall into a few
 * buckets. For those functions it matters: it takes 1 ns per call.
 */
#include "counting.h"

#include "branch.h"
#include "logged.h"
#include "process/clock.h"
#include "process/lanes.h"
#include "process/recorder_state.h"

typedef uint64_t pair __attribute__((vector_size(16)));

enum {
	PAIRS = HP_FLUSH / 2,
	/* Independent partial sums, so that an addition need not wait for the one before. */
	SUMS = 4,
	/* If all calls of a batch are within so many buckets, they are counted by comparison. */
	FEW = 12,
};

struct batch {
	uint64_t total, self, min, max;
};

static inline pair smaller(pair a, pair b)
{
	pair less = (pair)(a < b);

	return (a & less) | (b & ~less);
}

static inline pair larger(pair a, pair b)
{
	pair more = (pair)(a > b);

	return (a & more) | (b & ~more);
}

static inline struct batch add_up(const pair *durations, const pair *selves)
{
	pair total[SUMS] = { { 0 } }, self[SUMS] = { { 0 } }, min[SUMS], max[SUMS];

	for (unsigned j = 0; j < SUMS; j++)
		min[j] = max[j] = durations[j];
	for (unsigned i = 0; i < PAIRS; i += SUMS) {
#pragma GCC unroll 4
		for (unsigned j = 0; j < SUMS; j++) {
			total[j] += durations[i + j];
			self[j] += selves[i + j];
			min[j] = smaller(durations[i + j], min[j]);
			max[j] = larger(durations[i + j], max[j]);
		}
	}
	pair all = total[0] + total[1] + total[2] + total[3];
	pair own = self[0] + self[1] + self[2] + self[3];
	pair low = smaller(smaller(min[0], min[1]), smaller(min[2], min[3]));
	pair high = larger(larger(max[0], max[1]), larger(max[2], max[3]));
	return (struct batch){ all[0] + all[1], own[0] + own[1], low[0] < low[1] ? low[0] : low[1],
			       high[0] > high[1] ? high[0] : high[1] };
}

/* A counter of a bucket has overflowed 32 bits. */
__attribute__((noinline)) static void carry(struct thread *me, struct hp_stat *stat,
					    unsigned bucket)
{
	uint32_t *carries = hotpath__carries(me, stat);

	if (carries)
		add(&carries[bucket], 1);
	else
		add(&me->lane->counters[HP_COUNTER_buckets], 1);
}

static inline void count(struct thread *me, struct hp_stat *stat, unsigned bucket, uint32_t calls)
{
	uint64_t at = stat->octaves[bucket / HP_OCTAVE_BUCKETS];
	uint32_t *octave = likely(at) ? (uint32_t *)(void *)(me->base + at * 64)
				      : hotpath__octave(me,
							&stat->octaves[bucket / HP_OCTAVE_BUCKETS]);

	if (unlikely(!octave)) {
		add(&me->lane->counters[HP_COUNTER_buckets], calls);
		return;
	}
	uint32_t sum = octave[bucket % HP_OCTAVE_BUCKETS] + calls;
	store(&octave[bucket % HP_OCTAVE_BUCKETS], sum, RELAXED);
	if (unlikely(sum < calls))
		carry(me, stat, bucket);
}

static inline uint32_t count_from(const pair *durations, uint64_t low)
{
	pair least = { low, low }, calls[SUMS] = { { 0 } };

	/* A comparison that is true gives -1. */
	for (unsigned i = 0; i < PAIRS; i += SUMS) {
#pragma GCC unroll 4
		for (unsigned j = 0; j < SUMS; j++)
			calls[j] -= (pair)(durations[i + j] >= least);
	}
	pair all = calls[0] + calls[1] + calls[2] + calls[3];
	return (uint32_t)(all[0] + all[1]);
}

/* Count a batch that falls into a few neighbouring buckets: for each bucket, how many calls are above it. */
static void count_few(struct thread *me, struct hp_stat *stat, const pair *durations,
		      unsigned bucket, unsigned last)
{
	uint32_t left = HP_FLUSH;

	for (; bucket < last; bucket++) {
		uint32_t above = count_from(durations, hp_bucket_low(bucket + 1));
		count(me, stat, bucket, left - above);
		left = above;
	}
	count(me, stat, last, left);
}

static void stretch(struct hp_stat *stat, uint64_t min, uint64_t max)
{
	if (unlikely(min < stat->min))
		store(&stat->min, min, RELAXED);
	if (unlikely(max > stat->max))
		store(&stat->max, max, RELAXED);
}

/* Add calls to a node, given their sums. */
static void add_to_node(struct thread *me, uint64_t node, uint64_t calls, uint64_t total,
			uint64_t self)
{
	if (!node)
		return;
	struct hp_node *into = hotpath__node(me, node);
	add(&into->calls, calls);
	add(&into->total, total);
	add(&into->self, self);
}

static void flush_one(struct thread *me, struct hp_stat *stat, unsigned place)
{
	uint64_t packed = stat->durations[place], duration = packed & HP_CALL_DURATION;

	if (packed & HP_CALL_NESTED)
		add(&stat->nested, duration);
	else
		add(&stat->total, duration);
	add(&stat->self, stat->selves[place]);
	if (packed & HP_CALL_SAME_NODE && stat->nodes[place])
		store(&hotpath__node(me, stat->nodes[place])->recursive, 1, RELAXED);
	add_to_node(me, stat->nodes[place], 1, packed & HP_CALL_SAME_NODE ? 0 : duration,
		    stat->selves[place]);
	stretch(stat, duration, duration);
	count(me, stat, hp_bucket(duration), 1);
}

static bool all_equal(const pair *nodes)
{
	pair first = { nodes[0][0], nodes[0][0] }, differ[SUMS] = { { 0 } };

	for (unsigned i = 0; i < PAIRS; i += SUMS) {
#pragma GCC unroll 4
		for (unsigned j = 0; j < SUMS; j++)
			differ[j] |= nodes[i + j] ^ first;
	}
	pair any = differ[0] | differ[1] | differ[2] | differ[3];
	return !(any[0] | any[1]);
}

/* Most functions are called by one other many times in a row. */
static void flush_nodes(struct thread *me, const struct hp_stat *stat, unsigned from,
			const struct batch *batch)
{
	const uint64_t *nodes = &stat->nodes[from];

	if (likely(all_equal((const pair *)(const void *)nodes))) {
		add_to_node(me, nodes[0], HP_FLUSH, batch->total, batch->self);
		return;
	}
	for (unsigned i = 0; i < HP_FLUSH; i++)
		add_to_node(me, nodes[i], 1, stat->durations[from + i], stat->selves[from + i]);
}

static void flush_batch(struct thread *me, struct hp_stat *stat, unsigned from)
{
	const pair *durations = (const pair *)(const void *)&stat->durations[from];
	struct batch batch = add_up(durations, (const pair *)(const void *)&stat->selves[from]);

	/* Flags are higher bits than any duration: if one call has a flag, the maximum shows it. */
	if (unlikely(batch.max > HP_CALL_DURATION)) {
		for (unsigned i = 0; i < HP_FLUSH; i++)
			flush_one(me, stat, from + i);
		return;
	}
	add(&stat->total, batch.total);
	add(&stat->self, batch.self);
	flush_nodes(me, stat, from, &batch);
	stretch(stat, batch.min, batch.max);
	unsigned first = hp_bucket(batch.min), last = hp_bucket(batch.max);
	if (last - first <= FEW)
		count_few(me, stat, durations, first, last);
	else
		for (unsigned i = 0; i < HP_FLUSH; i++)
			count(me, stat, hp_bucket(stat->durations[from + i]), 1);
}

/*
 * While this runs, a reader may find calls both in the ring and in the figures. No call is missing at any time, and
 * the number of calls is always right.
 */
static inline void flush(struct thread *me, struct hp_stat *stat)
{
	unsigned from = stat->flushed % HP_RING;

	if (likely(stat->calls - stat->flushed == HP_FLUSH && from % HP_FLUSH == 0))
		flush_batch(me, stat, from);
	else
		for (uint64_t i = stat->flushed; i < stat->calls; i++)
			flush_one(me, stat, i % HP_RING);
	/* Pairs with the reader's ACQUIRE: calls up to here are in the figures. */
	store(&stat->flushed, stat->calls, RELEASE);
}

/*
 * Flushing takes the time of several calls, inside the call around the one that just ended: it is subtracted from
 * that call. Not more than about 30 µs, though: what is longer was another program's time.
 */
static inline void take_off(struct thread *me, uint64_t start)
{
	uint64_t taken = hotpath__ticks() - start;
	uint64_t most = load(&hotpath__header()->ticks_per_second, RELAXED) >> 15;

	if (taken > most)
		taken = most;
	me->top->lost += taken << 8;
	add(&me->lane->cost, taken + (me->span_cost * HP_FLUSH >> 8));
}

void hotpath__flush(struct thread *me, struct hp_stat *stat)
{
	uint64_t start = hotpath__ticks();

	flush(me, stat);
	take_off(me, start);
}

/* The last call in the ring has ended just now, so its end is the start of flushing. */
void hotpath__flush_and_leave(struct thread *me, struct hp_stat *stat)
{
	uint64_t start = stat->ends[(stat->calls - 1) % HP_RING];

	flush(me, stat);
	take_off(me, start);
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
	uint64_t place = stat->calls % HP_RING;

	store(&stat->ends[place], call.end, RELAXED);
	store(&stat->durations[place], call.duration | flags, RELAXED);
	store(&stat->selves[place], call.self, RELAXED);
	store(&stat->nodes[place], branch->node, RELAXED);
	store(&stat->calls, stat->calls + 1, RELAXED);
	if (stat->calls % HP_FLUSH == 0)
		hotpath__flush(me, stat);
}
