/* SPDX-License-Identifier: MIT */
/*
 * What the recorder keeps of allocations.
 *
 *	thread ─► memory ─┬─► tallies      one for each frame: what its call has allocated so far
 *	                  ├─► calls        of malloc: from where they return to, to their origin
 *	                  ├─► held         by the number of the origin: the lane's holding
 *	                  └─► young        blocks of calls that have not returned yet
 *	recorder ─► blocks      every block that is allocated: how large, and of which origin
 */
#ifndef HOTPATH_MEMORY_H
#define HOTPATH_MEMORY_H

#include "atomic.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Origins are looked up by number in pages of so many. */
	ORIGIN_PAGE = 256,
	ORIGIN_PAGES = (HP_ORIGINS_MAX + 1) / ORIGIN_PAGE,
	CALLS_FIRST = 128,
	YOUNG_FIRST = 128,
	/* Where a young block may be: so many places from where it belongs. */
	YOUNG_PLACES = 8,
	/* Rooms of regions are multiples of this many blocks. */
	REGION_STEP = 4,
	REGION_CLASSES = 256 / REGION_STEP + 1,
};

/* What an open call has allocated. */
struct tally {
	/* Of its function; never NULL. */
	struct hp_alloc *alloc;
	uint64_t site;
	/* Itself, but for what it has as the owner of the lane. */
	uint64_t bytes;
	uint64_t blocks;
	uint64_t freed_blocks;
	/* What the lane had allocated and freed when this call had not. For a stray, what calls inside had. */
	uint64_t before_bytes;
	uint64_t before_blocks;
	uint64_t before_freed;
	/* Tells the calls of one frame apart; of a stray, when it began. */
	uint64_t serial;
};

/* A call of malloc in a function that is known. */
struct call_site {
	uintptr_t from;
	uint64_t site;
	struct held *held;
};

/* Bytes that come and go: what of them others were told, and how much may be untold. */
struct tide {
	int64_t told;
	int64_t patience;
};

/* What this lane holds of an origin. */
struct held {
	struct hp_holding *holding;
	struct hp_origin *origin;
	struct tide tide;
};

/* A block that may turn out to be temporary: freed while the call is open that allocated it. */
struct young {
	uintptr_t block;
	struct hp_alloc *alloc;
	uint32_t frame;
	uint32_t serial;
};

/* Blocks that begin near each other; see blocks.c. */
struct region;

/* Some of many calls. */
struct timed {
	uint64_t ticks;
	uint64_t calls;
};

/* The allocations of a thread. */
struct memory {
	enum hp_alloc_mode mode;
	/* Who allocates now, and what the lane had when that began. */
	struct tally *owner;
	uint64_t since_bytes;
	uint64_t since_blocks;
	uint64_t since_freed;
	/* The block that was allocated last; 0 when another one was freed since. */
	uintptr_t latest;
	struct hp_alloc *latest_alloc;
	/* Open, by address and function. */
	struct call_site *calls;
	uint32_t calls_mask;
	uint32_t calls_used;
	struct young *young;
	uint32_t young_mask;
	uint32_t serial;
	/* There ever was one. */
	bool has_young;
	struct held *held[ORIGIN_PAGES];
	/* Of all origins. */
	struct tide tide;
	/* The slot of the region that is locked just now; NULL when none is. */
	uint64_t *locked;
	struct region *spare_regions[REGION_CLASSES];
	char *pool;
	size_t pool_left;
	/* What it takes to follow a block, and to let go of one, of those calls that are timed. */
	struct timed follow_timed;
	struct timed unfollow_timed;
	/* For what has no room in the segment. */
	struct hp_alloc nowhere;
	struct hp_holding nothing;
	struct hp_origin nobody;
	struct call_site first_calls[CALLS_FIRST];
	struct young first_young[YOUNG_FIRST + YOUNG_PLACES];
};

/* What is known of a block. */
struct block {
	uint64_t size;
	/* The number of its origin, or one of the next. */
	uint64_t origin;
};

/* There is no such block. */
#define BLOCK_NONE UINT64_MAX
/* There is no memory for it, or another thread does not let go of it. */
#define BLOCK_LOST (UINT64_MAX - 1)

/* The blocks of malloc; and those that the program hands out itself, which may lie in them. */
enum hotpath_heap {
	HEAP_MALLOC,
	HEAP_POOL,
	HEAPS,
};

/* A block that is being reallocated. */
struct moving {
	uintptr_t block;
	uint64_t rounded;
	uintptr_t sp;
	struct block known;
};

#endif
