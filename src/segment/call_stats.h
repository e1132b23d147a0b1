/* SPDX-License-Identifier: MIT */
/* The part of the segment format that counts calls: stats, with their rings, and the nodes of the call tree. */
#ifndef HP_CALL_STATS_H
#define HP_CALL_STATS_H

#include "histogram.h"

#include <assert.h>
#include <stdint.h>

enum {
	/* Calls in the ring of a stat: twice as many as may wait to be flushed. */
	HP_RING = 64,
	HP_FLUSH = 32,
	/* Limits of a lane's call tree: number of nodes, and depth. Calls that do not fit are counted in nodes of
	   site 0. A deeper tree would exceed the nesting limit of some JSON parsers. */
	HP_NODES_MAX = 16384,
	HP_NODE_DEPTH_MAX = 80,
};

static_assert(HP_FLUSH * 2 == HP_RING, "calls that wait are not overwritten");

/* A duration in the ring has 48 bits; the bits above are flags, which say how the call is to be added up. */
#define HP_CALL_DURATION_BITS 48
#define HP_CALL_DURATION ((UINT64_C(1) << HP_CALL_DURATION_BITS) - 1)
/* An inner call of a recursive function. */
#define HP_CALL_NESTED (UINT64_C(1) << HP_CALL_DURATION_BITS)
/* A call inside another one of the same node: its duration is part of that one's, and is not added to the node
   again. */
#define HP_CALL_SAME_NODE (UINT64_C(2) << HP_CALL_DURATION_BITS)
/* The highest four bits are the type of the logged value, an enum hp_value. */
#define HP_CALL_VALUE_SHIFT 60

/* What the words `flow` of a stat mean if its site is one of calls. */
enum hp_call_word {
	/* Exclusive samples in the kernel; and those inside malloc, free and the like, which are known while
	   allocations are recorded. */
	HP_CALL_SYSTEM_SAMPLES = 0,
	HP_CALL_ALLOC_SAMPLES = 1,
	/* How long threads in this function were runnable and waited for a processor, in nanoseconds. */
	HP_CALL_QUEUE_NS = 2,
	/* For the recorder: timed and counted calls up to when it last looked at what they cost. */
	HP_CALL_GOVERNED = 3,
};

/* A call in the ring of a stat. */
struct hp_ring_entry {
	/* When it ended, in ticks; its duration and flags. */
	uint64_t end;
	uint64_t duration;
};

/* Where a call that waits to be flushed is counted: the number of its node, 0 or 1 when it has none, above its exclusive
   time, which has as many bits as a duration. */
#define HP_NODE_SHIFT HP_CALL_DURATION_BITS

/*
 * A site in a lane. The newest calls, those from number `flushed` on, are in the ring only; the recorder adds them to
 * the figures and the histogram in batches, which is quicker. The hot path writes to the first 64 bytes, to one entry of the
 * ring and to one of the places.
 */
struct hp_stat {
	uint64_t next;
	uint32_t site;
	/* Calls in progress on the lane's own stack, if the function is marked as one that may repeat; else 0. */
	uint32_t depth;

	/* Calls that ended, and how many of them have been added to the figures below. RELEASE. */
	uint64_t calls;
	uint64_t flushed;
	/* When the outermost call in progress began. If the function does not repeat, 0 means that none is. */
	uint64_t open_since;
	/* Inclusive time. Of a recursive function, only the outermost calls are added. */
	uint64_t total;
	/* Exclusive time: without the measured calls inside. */
	uint64_t self;
	uint64_t min;
	uint64_t max;
	/* Inclusive time of the inner calls of a recursive function; with `total`, the sum of the durations of all
	   calls. */
	uint64_t nested;
	/* Calls in progress that have no frame, such as strays (calls on other stacks), operations and futures.
	   This is begun less ended; such a call may end in another lane, so the value of one lane may be negative. */
	int64_t open;

	/* Offsets of arrays with one logged value, and one logged string of HP_TEXT_SIZE bytes, for each entry of
	   the ring. Allocated when the first is logged. */
	uint64_t values;
	uint64_t texts;
	uint64_t reserved0;
	/* The histogram. RELEASE. See hp_octave_at. */
	uint32_t octaves[HP_OCTAVES];
	/* 1 when several calls of the function may be in progress in this lane at once, because it has called itself,
	   directly or not. */
	uint32_t repeats;
	/* While a recursive function has several calls in progress: the node of the outermost one. */
	uint64_t open_node;
	/* An alloc, allocated when a call of this site, or one inside it, first allocates or frees. */
	uint64_t alloc;
	/* The logged strings again, at greater length; 0 when there are none. */
	uint64_t long_texts;
	/* Kinds of sites with more than one histogram, or more than four words: offset of the next part, a stat that
	   is in no list. Part n has histogram n, and words 4 n to 4 n + 3. 0 for the last part. RELEASE. */
	uint64_t more;
	/* CPU time in samples, exclusive and inclusive. */
	uint64_t samples;
	uint64_t inclusive_samples;
	/* The number of the last look that was added to inclusive_samples, so that a recursive function is counted
	   once per look. */
	uint64_t last_look;
	/* Words whose meaning depends on the kind of the site; for calls, an enum hp_call_word. */
	uint64_t flow[4];
	/* Calls that were counted and not timed: they are in none of the other figures. */
	uint64_t counted;

	/* Call n is in entry n modulo HP_RING. */
	struct hp_ring_entry ring[HP_RING];
	/* Its node and exclusive time are in entry n modulo HP_FLUSH, until it is flushed: before that it is not in the
	   figures of its node either. See HP_NODE_SHIFT. */
	uint64_t places[HP_FLUSH];
};

/**
 * A node of a lane's call tree: one site as called from its parent's site. Recursion does not make the tree deeper:
 * if the same caller has called the same function further up, the call belongs to that node again, and direct
 * recursion stays in one node. Calls that did not fit into the tree are in a node of site 0 below the last node that
 * did.
 */
struct hp_node {
	uint64_t next;
	/* 0: not called by any measured function. */
	uint64_t parent;
	uint32_t site;
	uint32_t depth;
	/* Calls that ended; inclusive time of those that are not inside another call of this node; exclusive time. */
	uint64_t calls;
	uint64_t total;
	uint64_t self;
	/* 1 when a call of this node was inside another one of it; then the times of its children may overlap. */
	uint32_t recursive;
	/* Its number among the nodes of the lane, by which calls that wait to be flushed name it. At least 2. */
	uint32_t number;
	uint64_t reserved0;
};

#endif
