/* SPDX-License-Identifier: MIT */
/*
 * The recorder's state for allocations.
 *
 *	thread ─► memory ─┬─► tallies      one for each frame: what its call has allocated so far
 *	                  ├─► callers      the stack of the present allocation
 *	                  ├─► calls        stacks of earlier ones, by a hash, with their origins
 *	                  ├─► held         the lane's holdings, by the number of their origin
 *	                  └─► young        blocks whose calls have not returned yet
 *	recorder ─► blocks      every allocated block: its size and its origin
 */
#ifndef HOTPATH_HEAP_STATE_H
#define HOTPATH_HEAP_STATE_H

#include "atomic.h"
#include "cpu/walk_trace.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Origins are looked up by number in a two-level table; so many entries are in a page. */
	ORIGIN_PAGE = 256,
	ORIGIN_PAGES = (HP_ORIGINS_MAX + 1) / ORIGIN_PAGE,
	/* The first size of a thread's table of stacks, and the last: 2 MB. */
	CALLS_FIRST = 128,
	CALLS_LAST = 2 * (HP_ORIGINS_MAX + 1),
	/* The number of last walks that a thread keeps, each of which has one place in the table. */
	SEEN_STACKS = 64,
	YOUNG_FIRST = 128,
	/* A young block is in one of so many consecutive slots, starting at the one its hash gives. */
	YOUNG_PLACES = 8,
	/* The capacity of a region is a multiple of so many blocks; free regions are kept in one list per
	   capacity. */
	REGION_STEP = 4,
	REGION_CLASSES = 256 / REGION_STEP + 1,
};

/* A tally: what one open call has allocated so far. */
struct tally {
	/* The figures of the call's function. Never NULL for the call of a frame; NULL for a stray that has no
	   tally. */
	struct hp_alloc *alloc;
	uint64_t site;
	/* Exclusive, without what was allocated since the call became the owner of the lane. */
	uint64_t bytes;
	uint64_t blocks;
	uint64_t freed_blocks;
	/* For a frame: what the lane had allocated and freed before this call did either. For a stray: the sums of
	   the strays inside it that have ended. */
	uint64_t before_bytes;
	uint64_t before_blocks;
	uint64_t before_freed;
	/* For a frame: a number that tells the calls apart that use this frame one after the other. For a stray:
	   when it began. */
	uint64_t serial;
};

/* The return addresses of an allocation, innermost first. */
struct callers {
	unsigned depth;
	/* An enum hp_stack_end. */
	uint32_t end;
	uintptr_t returns[HP_ORIGIN_DEPTH_MAX];
};

/* One of the last walks: where it began, all words that it read, and what it led to. */
struct seen_stack {
	/* The return address of the call of malloc, 0 when this entry is not valid; and the registers of its caller. */
	uintptr_t from;
	uintptr_t sp;
	uintptr_t fp;
	uint64_t site;
	struct held *held;
	struct walk_trace trace;
};

/* An entry of the hash table of stacks. The key is a hash of all return addresses and of the site of the innermost measured
   function: that two of 65535 stacks have the same one has a chance of 1 : 2³³. */
struct call_site {
	uint64_t key;
	struct held *held;
};

/* A thread's share of a global counter of allocated bytes: the part that was added to that counter (told), and how
   large the difference may get before it is added too (patience). */
struct tide {
	int64_t told;
	int64_t patience;
};

/* This lane's holding of an origin, with the pointers that are needed to update it. */
struct held {
	struct hp_holding *holding;
	struct hp_origin *origin;
	struct tide tide;
};

/* A young block: the call that allocated it is still open. If it is freed before that call returns, it was
   temporary. */
struct young {
	uintptr_t block;
	struct hp_alloc *alloc;
	uint32_t frame;
	uint32_t serial;
};

/* A list of blocks whose addresses are close together. */
struct region;

/* The calls that were timed, of many: their sum, and how many they are. */
struct timed {
	uint64_t ticks;
	uint64_t calls;
};

/* The state of a thread for recording allocations. */
struct memory {
	enum hp_alloc_mode mode;
	/* The tally of the call that allocates now; and what the lane had allocated and freed when the figures of
	   that tally were last brought up to date. */
	struct tally *owner;
	uint64_t since_bytes;
	uint64_t since_blocks;
	uint64_t since_freed;
	/* The block that was allocated last, 0 when any block was freed since; and the figures of the function
	   that allocated it. */
	uintptr_t latest;
	struct hp_alloc *latest_alloc;
	/* The stack of the allocation that is being counted; and room for it in the format of the segment, because the
	   program's stack may be small. */
	struct callers callers;
	uint64_t frames[HP_ORIGIN_DEPTH_MAX];
	struct seen_stack seen[SEEN_STACKS];
	/* The walker of stacks; NULL where none are taken. */
	struct walker *walker;
	/* A hash table with open addressing. */
	struct call_site *calls;
	uint32_t calls_mask;
	uint32_t calls_used;
	struct young *young;
	uint32_t young_mask;
	uint32_t serial;
	/* A young block was ever put into the table. */
	bool has_young;
	struct held *held[ORIGIN_PAGES];
	/* The thread's share of the counter for all origins together. */
	struct tide tide;
	/* The slot of the region that this thread has locked; NULL when there is none. */
	uint64_t *locked;
	struct region *spare_regions[REGION_CLASSES];
	char *pool;
	size_t pool_left;
	/* Measured durations of following a block, and of no longer following one. */
	struct timed follow_timed;
	struct timed unfollow_timed;
	/* Stand-ins where the segment has no room; nobody reads them. */
	struct hp_alloc nowhere;
	struct hp_holding nothing;
	struct hp_origin nobody;
	/* The holding that all stacks have in a rehearsal; else NULL. */
	struct held *rehearsed;
	struct call_site first_calls[CALLS_FIRST];
	struct young first_young[YOUNG_FIRST + YOUNG_PLACES];
};

/* An allocated block, as kept in the tables. */
struct block {
	uint64_t size;
	/* The number of its origin, or BLOCK_NONE or BLOCK_LOST. */
	uint64_t origin;
};

/* No such block is in the table. */
#define BLOCK_NONE UINT64_MAX
/* The block could not be stored: there is no memory, or another thread holds the lock of its region for too long. */
#define BLOCK_LOST (UINT64_MAX - 1)

/* Blocks of malloc; and blocks of the program's own pools, which may lie inside blocks of malloc. */
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
