/* SPDX-License-Identifier: MIT */
/* Allocations in a model: totals of the process, and what is still allocated. */
#ifndef HP_MEMORY_H
#define HP_MEMORY_H

#include "function.h"
#include "live.h"
#include "points.h"
#include "segment.h"

/** The RSS of a process beside the blocks of malloc. Of several processes, that of the largest. */
struct hp_outside {
	/** The process; 0 when nothing but its blocks is known. */
	uint32_t pid;
	/** Anonymous memory that the program has mapped itself: now, or at its end; and at most. */
	uint64_t mapped_bytes;
	uint64_t mapped_peak_bytes;
	/** Bytes by enum hp_resident, of the largest RSS that was looked into; all 0 when none was. */
	uint64_t resident[HP_RESIDENT_KINDS];
};

/** The RSS that was looked into. */
uint64_t hp_outside_resident(const struct hp_outside *outside);

/** Totals of a process. If allocations were not recorded, only its memory use (RSS) is known. */
struct hp_memory {
	enum hp_alloc_mode mode;
	/** Bytes as the program asked for. */
	uint64_t bytes;
	uint64_t count;
	/**
	 * Allocated and freed bytes in the same unit, so that they can be compared. In mode HP_ALLOC_FREED that is
	 * the size as rounded by the allocator, so it differs from the requested bytes.
	 */
	uint64_t allocated_bytes;
	uint64_t freed_bytes;
	uint64_t freed_count;
	/** Sums of the live rows below, and the peak of what was allocated at one time. */
	uint64_t live_bytes;
	uint64_t live_blocks;
	uint64_t peak_bytes;
	/** The RSS now, or at the end; 0 when not known. */
	uint64_t rss_bytes;
	/** The part of the RSS that is hotpath's own; only known for programs that have ended. */
	uint64_t own_rss_bytes;
	uint64_t peak_rss_bytes;
	struct hp_outside outside;
	/** Rows sorted by name and location; each pair occurs once. */
	struct hp_live *live;
	size_t live_count;
	size_t live_room;
};

/** Append a live row, which is the list's from then on. Returns false when memory ran out; then it is the caller's. */
bool hp_memory_append(struct hp_memory *memory, struct hp_live live);

/** Sort the live rows, and merge those with the same name and location. */
void hp_memory_join(struct hp_memory *memory);

/** Add one process to another. Returns 0, or -ENOMEM. */
int hp_memory_merge(struct hp_memory *into, const struct hp_memory *from);

void hp_memory_clear(struct hp_memory *memory);

#endif
