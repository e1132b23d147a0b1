/* SPDX-License-Identifier: MIT */
/* What a model knows of allocations: of each function, and what is still allocated. */
#ifndef HP_MEMORY_H
#define HP_MEMORY_H

#include "points.h"
#include "segment.h"

/** What a function allocated and freed. */
struct hp_alloc_figures {
	/** Exclusive, and as asked for; up to now. */
	uint64_t bytes;
	uint64_t count;
	/** With the calls inside; of a recursive function, the outermost calls. Up to now. */
	uint64_t inclusive_bytes;
	uint64_t inclusive_count;
	/** The inner calls of a recursive function; with the outermost ones, all calls. */
	uint64_t nested_bytes;
	uint64_t nested_count;
	/** What it freed, wherever that was allocated; of kind HP_SITE_CALL, what was freed of its blocks. */
	uint64_t freed_bytes;
	uint64_t freed_count;
	/** Of its blocks, those that were freed before the call returned that allocated them, or next. */
	uint64_t temporary_count;
	/** By enum hp_alloc_histogram. Calls that ended and are in none had 0. */
	struct hp_points calls[HP_ALLOC_HISTOGRAMS];
};

/** Blocks of one place that are still allocated. */
struct hp_live {
	/** The measured function, or the one that calls malloc. */
	char *name;
	/** "src/work.c:33", or "libc.so.6+0x6f5a4 (strdup)" where the line is not known; NULL for nowhere. */
	char *location;
	uint64_t bytes;
	uint64_t blocks;
	/** The most it ever was; of several processes, the sum. */
	uint64_t peak_bytes;
	/** The C library keeps them for itself. */
	bool of_libc;
	/** Where the call returns to, while its line can be looked for; NULL otherwise. */
	char *module;
	uint64_t offset;
};

/** All of a process. Where allocations were not recorded, only the memory that it has in use. */
struct hp_memory {
	enum hp_alloc_mode mode;
	/** As asked for. */
	uint64_t bytes;
	uint64_t count;
	/** In one measure, and so different from bytes in HP_ALLOC_FREED. */
	uint64_t allocated_bytes;
	uint64_t freed_bytes;
	uint64_t freed_count;
	/** What is in the rows below, and the most that was allocated at once. */
	uint64_t live_bytes;
	uint64_t live_blocks;
	uint64_t peak_bytes;
	/** 0 when not known. */
	uint64_t rss_bytes;
	/** Of that, what hotpath itself has there; known of programs that have ended. */
	uint64_t own_rss_bytes;
	uint64_t peak_rss_bytes;
	/** By name and location, which no two have in common. */
	struct hp_live *live;
	size_t live_count;
};

/**
 * What a share of all calls did not exceed.
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

/** Sort the live blocks, and make one of those with the same name and location. */
void hp_memory_join(struct hp_memory *memory);

/** Add one process to another. Returns 0, or -ENOMEM. */
int hp_memory_merge(struct hp_memory *into, const struct hp_memory *from);

void hp_memory_clear(struct hp_memory *memory);

#endif
