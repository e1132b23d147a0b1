/* SPDX-License-Identifier: MIT */
/* The stats of every lane, in lists by their site. */
#include "stat_index.h"

#include "arithmetic.h"
#include "array.h"
#include "atomic.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Parts that may be mapped at a time: 6 MB. */
	PARTS_MOST = 96,
};

static size_t words_of(uint64_t parts)
{
	return (size_t)(parts / 64 + 1);
}

/* Have a bit for each part of a segment, which may have grown. */
static bool watch_parts(struct hp_stat_index *index, struct hp_bytes bytes)
{
	uint64_t parts = bytes.size / HP_TOUCHED_PART + 1;

	if (!index->pause || parts <= index->part_count)
		return true;
	free(index->touched);
	index->touched = calloc(words_of(parts), sizeof(*index->touched));
	index->part_count = index->touched ? parts : 0;
	index->touched_count = 0;
	return index->touched;
}

void hp_stat_index_touch(struct hp_stat_index *index, uint64_t at)
{
	uint64_t part = at / HP_TOUCHED_PART, bit = UINT64_C(1) << part % 64;

	if (!index->pause || part >= index->part_count || index->touched[part / 64] & bit)
		return;
	index->touched[part / 64] |= bit;
	if (++index->touched_count < PARTS_MOST)
		return;
	index->pause(index->context);
	memset(index->touched, 0, words_of(index->part_count) * sizeof(*index->touched));
	index->touched_count = 0;
}

static void touch_octaves(struct hp_stat_index *index, const uint32_t octaves[HP_OCTAVES])
{
	for (unsigned i = 0; i < HP_OCTAVES; i++) {
		uint32_t octave = load(&octaves[i], RELAXED);
		if (octave)
			hp_stat_index_touch(index, hp_octave_at(octave));
	}
}

void hp_stat_index_touch_stat(struct hp_stat_index *index, const struct hp_snapshot *snapshot,
			      const struct hp_stat *stat)
{
	uint64_t alloc_at = load(&stat->alloc, RELAXED);
	const struct hp_alloc *alloc = hp_check_alloc(snapshot->bytes, alloc_at);

	if (!index->pause)
		return;
	hp_stat_index_touch(index, (uint64_t)((const char *)stat - snapshot->bytes.base));
	touch_octaves(index, stat->octaves);
	if (alloc)
		hp_stat_index_touch(index, alloc_at);
	for (unsigned i = 0; alloc && i < HP_ALLOC_HISTOGRAMS; i++)
		touch_octaves(index, alloc->octaves[i]);
}

/* Make room for one more, whose number has 32 bits. */
static bool reserve(void *items, size_t count, size_t *room, size_t size)
{
	return count < UINT32_MAX && hp_array_reserve(items, count, room, size);
}

static bool add_lane(struct hp_stat_index *index, uint64_t at)
{
	if (!reserve(&index->lanes, index->lane_count, &index->lane_room, sizeof(*index->lanes)))
		return false;
	index->lanes[index->lane_count++] = (struct hp_stat_lane){ .at = at };
	return true;
}

static bool find_lanes(struct hp_stat_index *index, const struct hp_snapshot *snapshot)
{
	uint64_t most = hp_check_most(snapshot->bytes, sizeof(struct hp_lane));
	/* Pairs with the RELEASE that published the lane. */
	uint64_t newest = load(&snapshot->header->lanes, ACQUIRE), at = newest;

	while (at != index->newest_lane && index->lane_count < most) {
		const struct hp_lane *lane = hp_check_lane(snapshot->bytes, at);
		if (!lane)
			break;
		if (!add_lane(index, at))
			return false;
		at = load(&lane->next, RELAXED);
	}
	if (hp_check_lane(snapshot->bytes, newest))
		index->newest_lane = newest;
	return true;
}

static bool more_sites(struct hp_stat_index *index, uint32_t id)
{
	uint32_t room = id + 1 > index->site_room * 2 ? id + 1 : index->site_room * 2;
	struct hp_stat_site *sites;

	if (id < index->site_room)
		return true;
	sites = reallocarray(index->sites, room, sizeof(*sites));
	if (!sites)
		return false;
	memset(sites + index->site_room, 0, (room - index->site_room) * sizeof(*sites));
	index->sites = sites;
	index->site_room = room;
	return true;
}

static bool add_stat(struct hp_stat_index *index, uint32_t lane, uint64_t at, uint32_t id)
{
	if (!reserve(&index->entries, index->entry_count, &index->entry_room,
		     sizeof(*index->entries)) ||
	    !more_sites(index, id))
		return false;
	struct hp_stat_site *site = &index->sites[id];
	index->entries[index->entry_count++] = (struct hp_stat_entry){ at, 0, lane, site->first };
	site->first = (uint32_t)index->entry_count;
	site->count++;
	return true;
}

/* Read the new stats, which are before the newest known one in the list. */
static bool find_stats(struct hp_stat_index *index, const struct hp_snapshot *snapshot,
		       uint32_t number, const struct hp_lane *lane, uint64_t *left)
{
	/* Pairs with the RELEASE that published the stat. */
	uint64_t newest = load(&lane->stats, ACQUIRE), at = newest;
	uint64_t known = index->lanes[number].newest;

	for (; at != known && *left; --*left) {
		const struct hp_stat *stat = hp_check_stat(snapshot->bytes, at);
		uint32_t id = stat ? load(&stat->site, RELAXED) : 0;
		if (!stat)
			break;
		if (hp_check_site(snapshot->bytes, id) && !add_stat(index, number, at, id))
			return false;
		hp_stat_index_touch(index, at);
		at = load(&stat->next, RELAXED);
	}
	if (hp_check_stat(snapshot->bytes, newest))
		index->lanes[number].newest = newest;
	return true;
}

bool hp_stat_index_update(struct hp_stat_index *index, const struct hp_snapshot *snapshot)
{
	/* Pairs with the RELEASE that began the session. */
	uint32_t session = load(&snapshot->header->session, ACQUIRE);
	uint64_t most = hp_check_most(snapshot->bytes, sizeof(struct hp_stat));
	uint64_t left = hp_minus(most, index->entry_count);

	if (!watch_parts(index, snapshot->bytes) || !find_lanes(index, snapshot))
		return false;
	for (size_t i = 0; i < index->lane_count; i++) {
		const struct hp_lane *lane = hp_check_lane(snapshot->bytes, index->lanes[i].at);
		hp_stat_index_touch(index, index->lanes[i].at);
		/* ACQUIRE pairs with the RELEASE that began the session on this lane. */
		if (lane && load(&lane->session, ACQUIRE) == session &&
		    !find_stats(index, snapshot, (uint32_t)i, lane, &left))
			return false;
	}
	return true;
}

void hp_stat_index_hear(struct hp_stat_index *index, struct hp_snapshot *snapshot)
{
	for (size_t i = 0; snapshot->is_silent && i < index->lane_count; i++) {
		const struct hp_lane *lane = hp_check_lane(snapshot->bytes, index->lanes[i].at);
		if (lane)
			hp_snapshot_saw(snapshot, lane);
	}
	for (size_t i = 0; snapshot->is_silent && i < index->entry_count; i++) {
		const struct hp_stat *stat = hp_check_stat(snapshot->bytes, index->entries[i].stat);
		if (stat)
			hp_snapshot_heard(snapshot, stat);
		hp_stat_index_touch(index, index->entries[i].stat);
	}
}

const struct hp_stat_lane *hp_stat_index_busiest(const struct hp_stat_index *index)
{
	const struct hp_stat_lane *busiest = NULL;

	for (size_t i = 0; i < index->lane_count; i++)
		if (index->lanes[i].calls > (busiest ? busiest->calls : 0))
			busiest = &index->lanes[i];
	return busiest;
}

void hp_stat_index_free(struct hp_stat_index *index)
{
	free(index->sites);
	free(index->entries);
	free(index->lanes);
	free(index->touched);
	*index = (struct hp_stat_index){ .sites = NULL };
}
