/* SPDX-License-Identifier: MIT */
/*
 * Lanes: how they get room in the segment, for stats and for the arrays that belong to them.
 *
 * A lane takes whole chunks of the segment and allocates from those, without the lock.
 */
#include "lanes.h"

#include "platform.h"
#include "room.h"
#include "segment_file.h"
#include "settings.h"
#include "thread_state.h"

enum {
	/* Bytes of a lane's chunk. */
	CHUNK = 16 * 1024,
};

/*
 * The order of the stores allows a signal handler to leave by siglongjmp at any point: room may be lost then, but none is
 * allocated twice.
 */
static void set_chunk(struct chunk *chunk, uint64_t at, uint64_t left)
{
	store(&chunk->left, 0, RELAXED);
	store(&chunk->at, at, RELAXED);
	store(&chunk->left, left, RELAXED);
}

static uint64_t take_from(struct chunk *chunk, uint64_t size)
{
	uint64_t at = chunk->at;

	store(&chunk->left, chunk->left - size, RELAXED);
	store(&chunk->at, at + size, RELAXED);
	return at;
}

/* A new chunk for a lane. What is left of the old one is kept if it is more than is left of the one before. */
static bool new_chunk(struct thread *me)
{
	struct chunk old = me->chunk;
	struct guard guard;

	hotpath__lock(&guard);
	uint64_t chunk = hotpath__segment_take(CHUNK);
	hotpath__unlock(&guard);
	if (!chunk)
		return false;
	set_chunk(&me->chunk, chunk, CHUNK);
	if (old.left > me->rest.left)
		set_chunk(&me->rest, old.at, old.left);
	return true;
}

/* From the lane's chunks, or directly from the segment if there is no room for a whole chunk. */
uint64_t hotpath__lane_take(struct thread *me, uint64_t size)
{
	size = (size + 63) & ~UINT64_C(63);
	if (size <= me->rest.left)
		return take_from(&me->rest, size);
	if (me->chunk.left < size && (size > CHUNK || !new_chunk(me))) {
		struct guard guard;
		hotpath__lock(&guard);
		uint64_t piece = hotpath__segment_take(size);
		hotpath__unlock(&guard);
		return piece;
	}
	return take_from(&me->chunk, size);
}

static struct hp_stat *new_stat(struct thread *me, uint32_t site)
{
	struct hp_stat *newest = (struct hp_stat *)(void *)(me->base + me->lane->stats);
	/* A signal handler left by siglongjmp before this stat was in the index. */
	if (me->lane->stats && newest->site == site)
		return newest;
	uint64_t at = hotpath__lane_take(me, sizeof(struct hp_stat));
	if (!at)
		return NULL;

	struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
	stat->site = site;
	stat->min = UINT64_MAX;
	stat->next = me->lane->stats;
	/* Pairs with the reader's ACQUIRE. */
	store(&me->lane->stats, at, RELEASE);
	return stat;
}

static struct hp_stat **index_page(struct thread *me, uint32_t site)
{
	struct hp_stat ***page = &me->index[site / INDEX_PAGE];

	if (!*page) {
		struct guard guard;
		hotpath__lock(&guard);
		*page = hotpath__private(INDEX_PAGE * sizeof(struct hp_stat *));
		hotpath__unlock(&guard);
	}
	return *page;
}

struct hp_stat *hotpath__stat(struct thread *me, uint32_t site)
{
	struct hp_stat **page = index_page(me, site);

	if (!page)
		return NULL;
	/* RELEASE pairs with the governor of another thread, which looks for calls in progress. */
	if (!page[site % INDEX_PAGE])
		store(&page[site % INDEX_PAGE], new_stat(me, site), RELEASE);
	return page[site % INDEX_PAGE];
}

/* ---- histograms ---- */

static uint64_t value_of(const char *base, uint32_t octave, unsigned counter)
{
	const char *counts = base + hp_octave_at(octave);

	switch (hp_octave_counter(octave)) {
	case HP_COUNTER_16:
		return ((const uint16_t *)(const void *)counts)[counter];
	case HP_COUNTER_32:
		return ((const uint32_t *)(const void *)counts)[counter];
	case HP_COUNTER_64:
		return ((const uint64_t *)(const void *)counts)[counter];
	default:
		return 0;
	}
}

/* Returns false if a value is too large for the counter, or there is none. */
static bool set_value(char *base, uint32_t octave, unsigned counter, uint64_t value)
{
	void *counts = base + hp_octave_at(octave);

	switch (hp_octave_counter(octave)) {
	case HP_COUNTER_16:
		if (value <= UINT16_MAX)
			store(&((uint16_t *)counts)[counter], (uint16_t)value, RELAXED);
		return value <= UINT16_MAX;
	case HP_COUNTER_32:
		if (value <= UINT32_MAX)
			store(&((uint32_t *)counts)[counter], (uint32_t)value, RELAXED);
		return value <= UINT32_MAX;
	case HP_COUNTER_64:
		store(&((uint64_t *)counts)[counter], value, RELAXED);
		return true;
	default:
		return false;
	}
}

/* Give an octave its first counters, or copies of its counters that are twice as large. */
static bool grow(struct thread *me, uint32_t *octave)
{
	unsigned counter = hp_octave_counter(*octave) + 1;
	uint64_t at = hotpath__lane_take(me, hp_counters_size(counter));
	uint32_t old = *octave, new = hp_octave_make(at, counter);

	if (!at)
		return false;
	for (unsigned i = 0; old && i < HP_OCTAVE_BUCKETS; i++)
		set_value(me->base, new, i, value_of(me->base, old, i));
	/* Pairs with the reader's ACQUIRE. */
	store(octave, new, RELEASE);
	return true;
}

void hotpath__count_slowly(struct thread *me, uint32_t *octave, unsigned counter, uint64_t calls)
{
	uint64_t sum = value_of(me->base, *octave, counter) + calls;

	while (!set_value(me->base, *octave, counter, sum)) {
		/* The segment is full: to ask for room each time would take the lock each time. */
		me->has_no_room = me->has_no_room || !grow(me, octave);
		if (me->has_no_room) {
			add(&me->lane->counters[HP_COUNTER_buckets], calls);
			return;
		}
	}
}

static void zero_octave(char *base, uint32_t octave)
{
	uint64_t *words = (uint64_t *)(void *)(base + hp_octave_at(octave));
	size_t count = hp_counters_size(hp_octave_counter(octave)) / sizeof(*words);

	for (size_t i = 0; i < count; i++)
		store(&words[i], 0, RELAXED);
}

void hotpath__zero_histogram(char *base, const uint32_t octaves[HP_OCTAVES])
{
	for (unsigned i = 0; i < HP_OCTAVES; i++)
		if (octaves[i])
			zero_octave(base, octaves[i]);
}

/* ---- arrays ---- */

/* An array that belongs to a stat, allocated when it is first needed. */
static void *block(struct thread *me, uint64_t *offset, uint64_t size)
{
	/* Pairs with the reader's ACQUIRE. */
	if (!*offset)
		store(offset, hotpath__lane_take(me, size), RELEASE);
	return *offset ? me->base + *offset : NULL;
}

uint64_t *hotpath__values(struct thread *me, struct hp_stat *stat)
{
	return block(me, &stat->values, HP_RING * sizeof(uint64_t));
}

char *hotpath__texts(struct thread *me, struct hp_stat *stat)
{
	return block(me, &stat->texts, (uint64_t)HP_RING * HP_TEXT_SIZE);
}

char *hotpath__long_texts(struct thread *me, struct hp_stat *stat)
{
	return block(me, &stat->long_texts,
		     (uint64_t)HP_RING * (hotpath__settings()->max_log_len + 1));
}

static void zero_stat(char *base, struct hp_stat *stat)
{
	store(&stat->calls, 0, RELAXED);
	store(&stat->counted, 0, RELAXED);
	store(&stat->total, 0, RELAXED);
	store(&stat->self, 0, RELAXED);
	store(&stat->nested, 0, RELAXED);
	store(&stat->flushed, 0, RELAXED);
	store(&stat->min, UINT64_MAX, RELAXED);
	store(&stat->max, 0, RELAXED);
	store(&stat->samples, 0, RELAXED);
	store(&stat->inclusive_samples, 0, RELAXED);
	store(&stat->last_look, 0, RELAXED);
	for (unsigned i = 0; i < sizeof(stat->flow) / sizeof(*stat->flow); i++)
		store(&stat->flow[i], 0, RELAXED);
	hotpath__zero_histogram(base, stat->octaves);
}

/* Of some kinds of sites, a stat has further parts. */
static void zero_parts(char *base, struct hp_stat *stat)
{
	zero_stat(base, stat);
	while (stat->more) {
		stat = (struct hp_stat *)(void *)(base + stat->more);
		zero_stat(base, stat);
	}
}

void hotpath__zero_stats(struct thread *me)
{
	for (uint64_t at = me->lane->stats; at;) {
		struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
		zero_parts(me->base, stat);
		at = stat->next;
	}
}

void hotpath__lane_name(struct hp_lane *lane, const char *name)
{
	/* A reader may see a mixture of two names; the last byte is never written. */
	for (unsigned i = 0; i < HP_NAME_MAX - 1; i++) {
		store(&lane->name[i], *name, RELAXED);
		name += *name ? 1 : 0;
	}
}
