/* SPDX-License-Identifier: MIT */
/* What a model knows of allocations: of each function, and what is still allocated. */
#ifndef HP_MEMORY_H
#define HP_MEMORY_H

#include "points.h"
#include "segment.h"

/** What a function allocated and freed. */
struct hp_alloc_figures {
	/** Exclusive, in bytes as the program requested them, calls in progress included. */
	uint64_t bytes;
	uint64_t count;
	/**
	 * Inclusive: with the measured calls inside. For a recursive function, of its outermost calls only. Calls in
	 * progress are included.
	 */
	uint64_t inclusive_bytes;
	uint64_t inclusive_count;
	/**
	 * What the inner calls of a recursive function allocated inclusively; added to the outermost ones, this is
	 * the sum over all calls.
	 */
	uint64_t nested_bytes;
	uint64_t nested_count;
	/**
	 * What the function freed, no matter who allocated it. For rows of kind HP_SITE_CALL: what was freed of the
	 * row's own blocks, by anyone.
	 */
	uint64_t freed_bytes;
	uint64_t freed_count;
	/**
	 * Blocks of this function that were freed before the allocating call returned, or by the very next call of
	 * the allocator.
	 */
	uint64_t temporary_count;
	/**
	 * Distributions over calls, indexed by enum hp_alloc_histogram. Calls that ended but are in no bucket
	 * allocated nothing.
	 */
	struct hp_points calls[HP_ALLOC_HISTOGRAMS];
};

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

/** Add figures to others. Returns 0, or -ENOMEM. */
int hp_alloc_figures_merge(struct hp_alloc_figures *into, const struct hp_alloc_figures *from);

void hp_alloc_figures_clear(struct hp_alloc_figures *figures);

/** Sort the live rows, and merge those with the same name and location. */
void hp_memory_join(struct hp_memory *memory);

/** Add one process to another. Returns 0, or -ENOMEM. */
int hp_memory_merge(struct hp_memory *into, const struct hp_memory *from);

void hp_memory_clear(struct hp_memory *memory);

#endif
