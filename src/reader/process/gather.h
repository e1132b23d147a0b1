/* SPDX-License-Identifier: MIT */
/*
 * Copies a stat and all that belongs to it from all over a segment into one small buffer.
 *
 * Each access to a mapped segment makes the kernel map the pages around it, which costs time and counts as our
 * memory. Reading only the needed parts from the file costs neither.
 */
#ifndef HP_GATHER_H
#define HP_GATHER_H

#include "snapshot.h"

#include <sys/types.h>

enum {
	/** Bytes read at once of a histogram: its octaves are mostly near each other. */
	HP_GATHER_NEAR = 4096,
	HP_GATHER_PIECES = HP_OCTAVES * (1 + HP_ALLOC_HISTOGRAMS),
	/** Bytes read at once of stats that follow each other. */
	HP_GATHER_AHEAD = 32768,
};

struct hp_gather {
	/** The copy, laid out like a segment, with offsets that lead to the copied parts. */
	_Alignas(64) char bytes[HP_HEADER_SIZE + sizeof(struct hp_stat) + sizeof(struct hp_alloc) +
				64 + (size_t)HP_GATHER_PIECES * HP_GATHER_NEAR];
	/** A part of the segment that was read for several stats; its size is 0 when there is none. */
	char ahead[HP_GATHER_AHEAD];
	uint64_t ahead_at;
	uint64_t ahead_size;
	/** As pread. */
	ssize_t (*read)(void *context, void *into, size_t size, uint64_t at);
	void *context;
	/**
	 * Calls at the last pass. Calls that wait in a ring are read there if the newest ones are wanted, if they are a large
	 * part, or if nothing was flushed since; otherwise they count as average calls.
	 */
	uint64_t calls_before;
	bool wants_newest;
	/** Maps parts of the segment to their copies. */
	unsigned piece_count;
	struct {
		uint64_t at;
		uint64_t size;
		uint64_t copy;
	} pieces[HP_GATHER_PIECES];
	/** As a snapshot. */
	struct hp_snapshot snapshot;
	struct hp_lane lane;
	uint64_t used;
};

/**
 * Read a part of the segment, of HP_GATHER_AHEAD bytes at most, from which the next stats are taken. Stats that were made one after
 * the other are close together, and reading what is between them takes less time than reading each by itself.
 */
void hp_gather_ahead(struct hp_gather *gather, const struct hp_snapshot *snapshot, uint64_t begin,
		     uint64_t end);

/** Forget what was read ahead: it is old. */
void hp_gather_forget(struct hp_gather *gather);

/**
 * Gather a stat.
 *
 * @param lane
 *         Its lane, in the segment. What belongs to the stat in it is copied too.
 * @param with_histograms
 *         If false, histograms are left empty: they are most of what there is to read.
 * @return
 *         The stat, to be read with the gather's lane and snapshot; NULL when it cannot be read.
 */
const struct hp_stat *hp_gather_stat(struct hp_gather *gather, const struct hp_snapshot *snapshot,
				     const struct hp_lane *lane, uint64_t at, bool with_histograms);

#endif
