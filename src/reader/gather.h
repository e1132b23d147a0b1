/* SPDX-License-Identifier: MIT */
/*
 * A stat, and all that belongs to it, brought together from all over a segment.
 *
 * A segment that is mapped takes as much of our memory as the kernel maps around each place that is touched, and as much
 * time. To copy what is needed of the file, and nothing else, takes neither.
 */
#ifndef HP_GATHER_H
#define HP_GATHER_H

#include "snapshot.h"

#include <sys/types.h>

enum {
	/** What is read at once of a histogram: its octaves are near each other, most of the time. */
	HP_GATHER_NEAR = 4096,
	HP_GATHER_PIECES = HP_OCTAVES * (1 + HP_ALLOC_HISTOGRAMS),
};

struct hp_gather {
	/** What was gathered: as a segment, in which offsets lead to the copies. */
	_Alignas(64) char bytes[HP_HEADER_SIZE + sizeof(struct hp_stat) + sizeof(struct hp_alloc) +
				64 + HP_BUCKETS * sizeof(uint32_t) +
				(size_t)HP_GATHER_PIECES * HP_GATHER_NEAR];
	/** As pread. */
	ssize_t (*read)(void *context, void *into, size_t size, uint64_t at);
	void *context;
	/** How many calls there were at the last look. Calls that wait in a ring are read there if all is to be exact, if
	    they count for much, or if there have been none since; else they are taken for average ones. */
	uint64_t calls_before;
	/** As a snapshot. */
	struct hp_snapshot snapshot;
	struct hp_lane lane;
	/** Which part of the segment is where in it. */
	struct {
		uint64_t at;
		uint64_t size;
		uint64_t copy;
	} pieces[HP_GATHER_PIECES];
	unsigned piece_count;
	bool is_exact;
	uint64_t used;
};

/**
 * Gather a stat.
 *
 * @param lane
 *         Its lane, which is where it is. What of it belongs to the stat is copied too.
 * @param with_histograms
 *         Without them, it is as if nothing were in them: they are most of what there is to read.
 * @return
 *         The stat, to be read with the gather's lane and snapshot; NULL when it cannot be read.
 */
const struct hp_stat *hp_gather_stat(struct hp_gather *gather, const struct hp_snapshot *snapshot,
				     const struct hp_lane *lane, uint64_t at, bool with_histograms);

#endif
