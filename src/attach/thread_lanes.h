/* SPDX-License-Identifier: MIT */
/*
 * The threads of a process that is attached to, and their lanes in the segment.
 *
 * Times are of the time of the attachment alone, however long a thread has run before. What a thread used since /proc was last
 * read is known by its samples: when it has ended, the kernel does not tell any more.
 */
#ifndef HP_THREAD_LANES_H
#define HP_THREAD_LANES_H

#include "segment_writer.h"
#include "task_stat.h"

struct hp_thread_lane;

struct hp_thread_lanes {
	struct hp_segment_writer *writer;
	uint64_t period_ns;
	/** One for each lane; those of ended threads are used again. */
	struct hp_thread_lane *items;
	size_t count;
	size_t room;
	/** Samples of all lanes. */
	uint64_t samples;
	/** Where a thread was found last, by its id: most samples are of few threads. */
	uint32_t hints[1024];
};

/** A call stack as it is stored. */
struct hp_sampled_stack {
	uint32_t depth;
	/** An enum hp_stack_end. */
	uint32_t end;
	uint64_t frames[HP_STACK_DEPTH_MAX];
};

/** A thread has begun at a moment of CLOCK_MONOTONIC, or was there when we attached. Its name is that of `parent` until it is told. */
void hp_lanes_begin(struct hp_thread_lanes *lanes, uint32_t tid, uint32_t parent, uint64_t now_ns);

void hp_lanes_name(struct hp_thread_lanes *lanes, uint32_t tid, const char *name);

/**
 * Count a sample.
 *
 * @param event
 *         Which thread's event has sent it: of a thread that has several events, only one counts.
 * @param stack
 *         Its depth is 0 when there is none.
 */
void hp_lanes_sample(struct hp_thread_lanes *lanes, uint32_t tid, uint32_t event,
		     const struct hp_sampled_stack *stack, uint64_t now_ns);

/** Take over the times of a thread that runs; what it used before the first call does not count, unless it began later. */
void hp_lanes_see(struct hp_thread_lanes *lanes, const struct hp_task_stat *task, uint64_t now_ns);

/** The process executes another program: its threads have used what their samples say, if /proc was not read since. */
void hp_lanes_leave(struct hp_thread_lanes *lanes);

/** A thread has ended; no samples of it will come. */
void hp_lanes_end(struct hp_thread_lanes *lanes, uint32_t tid, uint64_t now_ns);

/** End the threads that hp_lanes_see was not called for since the last time: the kernel did not tell of their end. */
void hp_lanes_end_unseen(struct hp_thread_lanes *lanes, uint64_t now_ns);

void hp_lanes_free(struct hp_thread_lanes *lanes);

#endif
