/* SPDX-License-Identifier: MIT */
/* What a model knows of allocations: of each function, and what is still allocated. */
#ifndef HP_MEMORY_H
#define HP_MEMORY_H

#include "function.h"
#include "points.h"
#include "segment.h"

/** The blocks still allocated that come from one call site. */
struct hp_live {
	/** The measured function, or the one that calls malloc. */
	char *name;
	/**
	 * "src/work.c:33", or "libc.so.6+0x6f5a4 (strdup)" if the line is not known; NULL if there is no location.
	 */
	char *location;
	uint64_t bytes;
	uint64_t blocks;
	/** Peak of the call site; for several merged processes, the sum of their peaks. */
	uint64_t peak_bytes;
	/** The C library allocated these blocks for its own use, so they are no leak of the program. */
	bool of_libc;
	/**
	 * Return address of the call and the file it is in, as long as the source line can still be looked up; NULL
	 * afterwards.
	 */
	char *module;
	uint64_t offset;
};

/** Totals of a process. If allocations were not recorded, only its memory use (RSS) is known. */
struct hp_memory {
	enum hp_alloc_mode mode;
	/** As asked for. */
	uint64_t bytes;
	uint64_t count;
	/**
	 * Both counted in the same unit, so that they can be compared. In mode HP_ALLOC_FREED that is the size as
	 * rounded by the allocator, so this differs from the requested bytes.
	 */
	uint64_t allocated_bytes;
	uint64_t freed_bytes;
	uint64_t freed_count;
	/** Sums of the live rows below, and the peak of what was allocated at one time. */
	uint64_t live_bytes;
	uint64_t live_blocks;
	uint64_t peak_bytes;
	/** 0 when not known. */
	uint64_t rss_bytes;
	/** How much of the RSS belongs to hotpath itself; only known for programs that have ended. */
	uint64_t own_rss_bytes;
	uint64_t peak_rss_bytes;
	/** Sorted by name and location; each pair occurs once. */
	struct hp_live *live;
	size_t live_count;
};

/**
 * A percentile over all calls of a function.
 *
 * @param calls
 *         How many calls of the function ended.
 * @return
 *         Bytes or blocks, within 1 %.
 */
uint64_t hp_alloc_percentile(const struct hp_alloc_figures *figures, uint64_t calls,
			     enum hp_alloc_histogram which, double percent);

/** Sort the live rows, and merge those with the same name and location. */
void hp_memory_join(struct hp_memory *memory);

/** Add one process to another. Returns 0, or -ENOMEM. */
int hp_memory_merge(struct hp_memory *into, const struct hp_memory *from);

void hp_memory_clear(struct hp_memory *memory);

#endif
