/* SPDX-License-Identifier: MIT */
/*
 * The stats of every lane, in lists by their site.
 *
 * Nothing in a segment is freed or moved, and lists grow at their head: entries stay valid, and only new ones are
 * walked. Positions are offsets, because the segment may be mapped elsewhere the next time; they are checked at every
 * use.
 */
#ifndef HP_STAT_INDEX_H
#define HP_STAT_INDEX_H

#include "process/snapshot.h"

struct hp_stat_entry {
	/** Offset of the stat; and its calls when it was last added up. */
	uint64_t stat;
	uint64_t calls;
	/** The number of its lane. */
	uint32_t lane;
	/** The next entry of the same site, plus one. */
	uint32_t next;
};

struct hp_stat_site {
	/** Its first entry, plus one; and how many it has. */
	uint32_t first;
	uint32_t count;
};

struct hp_stat_lane {
	uint64_t at;
	/** Its newest stat that has an entry. */
	uint64_t newest;
	/** The calls of its entries. */
	uint64_t calls;
};

/** The index of one session. Zero-initialised. */
struct hp_stat_index {
	/** By id. */
	struct hp_stat_site *sites;
	uint32_t site_room;
	struct hp_stat_entry *entries;
	size_t entry_count;
	size_t entry_room;
	struct hp_stat_lane *lanes;
	size_t lane_count;
	size_t lane_room;
	uint64_t newest_lane;
	/** Called after every few megabytes of the mapping that were touched; NULL for none. */
	void (*pause)(void *context);
	void *context;
	/** A bit for each part of the segment that was touched since the last pause; and how many are set. */
	uint64_t *touched;
	uint64_t part_count;
	unsigned touched_count;
};

/** The kernel maps so much of a file when one of its pages is touched. */
#define HP_TOUCHED_PART UINT64_C(65536)

/** Note that something was read at an offset, and pause if that is enough. */
void hp_stat_index_touch(struct hp_stat_index *index, uint64_t at);

/** The same for a stat with its histograms. */
void hp_stat_index_touch_stat(struct hp_stat_index *index, const struct hp_snapshot *snapshot,
			      const struct hp_stat *stat);

/** Add what is new since the last time. Returns false when memory ran out. */
bool hp_stat_index_update(struct hp_stat_index *index, const struct hp_snapshot *snapshot);

/** The entries of a site. */
static inline struct hp_stat_site hp_stat_index_site(const struct hp_stat_index *index, uint32_t id)
{
	return id < index->site_room ? index->sites[id] : (struct hp_stat_site){ 0, 0 };
}

/** The stat of an entry, and its lane; NULL if the offsets are invalid. */
static inline const struct hp_stat *hp_stat_index_stat(const struct hp_stat_index *index,
						       const struct hp_snapshot *snapshot,
						       const struct hp_stat_entry *entry,
						       const struct hp_lane **lane)
{
	*lane = hp_check_lane(snapshot->bytes, index->lanes[entry->lane].at);
	return *lane ? hp_check_stat(snapshot->bytes, entry->stat) : NULL;
}

/** Store the calls of an entry, which belongs to a function. */
static inline void hp_stat_index_count(struct hp_stat_index *index, struct hp_stat_entry *entry,
				       uint64_t calls)
{
	index->lanes[entry->lane].calls += calls - entry->calls;
	entry->calls = calls;
}

/** If the program ended without exit, find the time of its last event. */
void hp_stat_index_hear(struct hp_stat_index *index, struct hp_snapshot *snapshot);

/** The lane with most calls of functions; NULL when there are none. */
const struct hp_stat_lane *hp_stat_index_busiest(const struct hp_stat_index *index);

/** Free what it holds, and zero it. */
void hp_stat_index_free(struct hp_stat_index *index);

#endif
