/* SPDX-License-Identifier: MIT */
/* Copies a stat and all that belongs to it from all over a segment into one small buffer. */
#include "gather.h"

#include "arithmetic.h"
#include "atomic.h"

#include <string.h>

/* If fewer than 1 in this many calls wait in the ring, they are assumed to be average calls. */
#define AVERAGE_ENOUGH 64

static bool is_inside(const struct hp_snapshot *snapshot, uint64_t at, uint64_t size)
{
	return at >= HP_HEADER_SIZE && at <= snapshot->bytes.size &&
	       size <= snapshot->bytes.size - at;
}

void hp_gather_forget(struct hp_gather *gather)
{
	gather->ahead_size = 0;
}

void hp_gather_ahead(struct hp_gather *gather, const struct hp_snapshot *snapshot, uint64_t begin,
		     uint64_t end)
{
	uint64_t size = end - begin;

	hp_gather_forget(gather);
	if (size > sizeof(gather->ahead) || !is_inside(snapshot, begin, size) ||
	    gather->read(gather->context, gather->ahead, size, begin) != (ssize_t)size)
		return;
	gather->ahead_at = begin;
	gather->ahead_size = size;
}

/* Read what may have been read ahead. */
static bool fetch(struct hp_gather *gather, void *into, uint64_t size, uint64_t at)
{
	uint64_t begin = at - gather->ahead_at;

	if (at < gather->ahead_at || begin > gather->ahead_size ||
	    size > gather->ahead_size - begin)
		return gather->read(gather->context, into, size, at) == (ssize_t)size;
	memcpy(into, gather->ahead + begin, size);
	return true;
}

/* Where a copy of a part of the segment is to be appended; 0 when there is no room, or no such part. */
static uint64_t place_for(const struct hp_gather *gather, const struct hp_snapshot *snapshot,
			  uint64_t at, uint64_t size)
{
	bool has_room = size <= sizeof(gather->bytes) - gather->used;

	return has_room && is_inside(snapshot, at, size) ? gather->used : 0;
}

static uint64_t append(struct hp_gather *gather, uint64_t into, uint64_t size)
{
	gather->used = into + (size + 63) / 64 * 64;
	return into;
}

/* Append a copy of a part of the segment. Returns its offset in the copy, or 0. */
static uint64_t copy(struct hp_gather *gather, const struct hp_snapshot *snapshot, uint64_t at,
		     uint64_t size)
{
	uint64_t into = place_for(gather, snapshot, at, size);

	return into && fetch(gather, gather->bytes + into, size, at) ? append(gather, into, size)
								     : 0;
}

/* The same, as it is now: figures of an alloc are right only if they are read after the lane of which it is the owner. */
static uint64_t copy_new(struct hp_gather *gather, const struct hp_snapshot *snapshot, uint64_t at,
			 uint64_t size)
{
	uint64_t into = place_for(gather, snapshot, at, size);

	return into && gather->read(gather->context, gather->bytes + into, size, at) ==
				       (ssize_t)size
		       ? append(gather, into, size)
		       : 0;
}

static uint64_t find(const struct hp_gather *gather, uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < gather->piece_count; i++)
		if (at >= gather->pieces[i].at &&
		    at + size <= gather->pieces[i].at + gather->pieces[i].size)
			return gather->pieces[i].copy + (at - gather->pieces[i].at);
	return 0;
}

static uint64_t size_of(uint32_t octave)
{
	unsigned counter = hp_octave_counter(octave);

	return hp_counters_size(counter < HP_COUNTER_64 ? counter : HP_COUNTER_64);
}

/*
 * Copy an octave of a histogram together with its neighbours in the file, which are likely needed next. Returns the
 * offset of the octave in the copy, or 0.
 */
static uint64_t copy_near(struct hp_gather *gather, const struct hp_snapshot *snapshot,
			  const uint32_t octaves[HP_OCTAVES], unsigned which)
{
	uint64_t at = hp_octave_at(octaves[which]), begin = at;
	uint64_t end = at + size_of(octaves[which]);

	for (unsigned i = which + 1; i < HP_OCTAVES; i++) {
		uint64_t other = hp_octave_at(octaves[i]);
		uint64_t other_end = other + size_of(octaves[i]);
		if (other + HP_GATHER_NEAR / 2 < at || other_end > at + HP_GATHER_NEAR / 2)
			continue;
		begin = hp_min(begin, other);
		end = hp_max(end, other_end);
	}
	uint64_t into = copy(gather, snapshot, begin, end - begin);
	if (!into || gather->piece_count == HP_GATHER_PIECES)
		return into ? into + (at - begin) : 0;
	gather->pieces[gather->piece_count].at = begin;
	gather->pieces[gather->piece_count].size = end - begin;
	gather->pieces[gather->piece_count++].copy = into;
	return into + (at - begin);
}

static void gather_octaves(struct hp_gather *gather, const struct hp_snapshot *snapshot,
			   uint32_t octaves[HP_OCTAVES])
{
	for (unsigned i = 0; i < HP_OCTAVES; i++) {
		uint32_t octave = octaves[i];
		uint64_t into = octave ? find(gather, hp_octave_at(octave), size_of(octave)) : 0;
		if (octave && !into)
			into = copy_near(gather, snapshot, octaves, i);
		octaves[i] = into ? hp_octave_make(into, hp_octave_counter(octave)) : 0;
	}
}

/* The lane refers to its owner by offset, so the copy of the lane needs the offset of the copy. */
static void gather_alloc(struct hp_gather *gather, const struct hp_snapshot *snapshot,
			 struct hp_stat *stat, bool with_histograms)
{
	uint64_t at = stat->alloc;
	struct hp_alloc *alloc;

	stat->alloc = at % 8 ? 0 : copy_new(gather, snapshot, at, sizeof(*alloc));
	gather->lane.owner = stat->alloc && gather->lane.owner == at ? stat->alloc : 0;
	if (!stat->alloc)
		return;
	alloc = (struct hp_alloc *)(void *)(gather->bytes + stat->alloc);
	if (!with_histograms)
		memset(alloc->octaves, 0, sizeof(alloc->octaves));
	for (unsigned i = 0; with_histograms && i < HP_ALLOC_HISTOGRAMS; i++)
		gather_octaves(gather, snapshot, alloc->octaves[i]);
}

static void copy_lane(struct hp_lane *copy, const struct hp_lane *lane)
{
	/* ACQUIRE pairs with the RELEASE that made it the owner. */
	copy->owner = load(&lane->owner, ACQUIRE);
	copy->bytes = load(&lane->bytes, RELAXED);
	copy->blocks = load(&lane->blocks, RELAXED);
	copy->samples = load(&lane->samples, RELAXED);
	copy->outside_samples = load(&lane->outside_samples, RELAXED);
	copy->outside_alloc_samples = load(&lane->outside_alloc_samples, RELAXED);
	copy->slow = load(&lane->slow, RELAXED);
	copy->freed_blocks = load(&lane->freed_blocks, RELAXED);
	copy->alloc_cost = load(&lane->alloc_cost, RELAXED);
	copy->free_cost = load(&lane->free_cost, RELAXED);
	copy->since = load(&lane->since, RELAXED);
	copy->generation = load(&lane->generation, RELAXED);
	copy->cost = load(&lane->cost, RELAXED);
	copy->own_samples = load(&lane->own_samples, RELAXED);
	copy->outside_system_samples = load(&lane->outside_system_samples, RELAXED);
}

/* Read a part of the stat into its copy. */
static bool read_part(struct hp_gather *gather, struct hp_stat *stat, uint64_t at, size_t begin,
		      size_t end)
{
	return fetch(gather, (char *)stat + begin, end - begin, at + begin);
}

static bool needs_ring(const struct hp_gather *gather, const struct hp_stat *stat)
{
	uint64_t waiting = stat->calls - stat->flushed;

	return gather->wants_newest || stat->calls == gather->calls_before ||
	       waiting > stat->flushed / AVERAGE_ENOUGH;
}

static uint64_t share(uint64_t of_flushed, const struct hp_stat *stat)
{
	double each = (double)(int64_t)of_flushed / (double)stat->flushed;

	return (uint64_t)(int64_t)(each * (double)(stat->calls - stat->flushed));
}

/* Count the waiting calls as average ones, as if they had been flushed. */
static void add_average(struct hp_stat *stat)
{
	stat->total += share(stat->total, stat);
	stat->nested += share(stat->nested, stat);
	stat->self += share(stat->self, stat);
	stat->flushed = stat->calls;
}

/*
 * Copy the totals first: calls that are missing there are in the ring. The ring is large, and of a busy function the
 * waiting calls are few of many, so it is often not worth reading.
 */
static bool copy_calls(struct hp_gather *gather, struct hp_stat *stat, uint64_t at)
{
	if (!read_part(gather, stat, at, 0, offsetof(struct hp_stat, ring)))
		return false;
	if (stat->calls <= stat->flushed)
		return true;
	if (needs_ring(gather, stat))
		return read_part(gather, stat, at, offsetof(struct hp_stat, ring), sizeof(*stat));
	add_average(stat);
	return true;
}

static struct hp_stat *copy_stat(struct hp_gather *gather, const struct hp_snapshot *snapshot,
				 uint64_t at)
{
	struct hp_stat *stat = (struct hp_stat *)(void *)(gather->bytes + gather->used);

	gather->used += sizeof(*stat);
	return hp_check_stat(snapshot->bytes, at) && copy_calls(gather, stat, at) ? stat : NULL;
}

static void gather_histogram(struct hp_gather *gather, const struct hp_snapshot *snapshot,
			     struct hp_stat *stat, bool with_histograms)
{
	if (with_histograms)
		gather_octaves(gather, snapshot, stat->octaves);
	else
		memset(stat->octaves, 0, sizeof(stat->octaves));
}

const struct hp_stat *hp_gather_stat(struct hp_gather *gather, const struct hp_snapshot *snapshot,
				     const struct hp_lane *lane, uint64_t at, bool with_histograms)
{
	gather->piece_count = 0;
	gather->used = HP_HEADER_SIZE;
	copy_lane(&gather->lane, lane);
	struct hp_stat *stat = copy_stat(gather, snapshot, at);
	if (!stat)
		return NULL;
	gather_histogram(gather, snapshot, stat, with_histograms);
	if (stat->alloc)
		gather_alloc(gather, snapshot, stat, with_histograms);
	/* Logged values are not copied. */
	stat->values = stat->texts = 0;
	gather->snapshot = *snapshot;
	gather->snapshot.bytes = (struct hp_bytes){ gather->bytes, gather->used };
	return stat;
}
