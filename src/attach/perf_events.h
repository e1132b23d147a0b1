/* SPDX-License-Identifier: MIT */
/*
 * The kernel's performance events of all threads of another process.
 *
 *	thread 1   event on CPU 0 ──┐   event on CPU 1 ──┐
 *	thread 2   event on CPU 0 ──┤   event on CPU 1 ──┤
 *	threads that they start     ├── (inherited)      ├──
 *	                            ▼                    ▼
 *	                     ring of CPU 0        ring of CPU 1     read by this process
 *
 * Each event sends a sample after every period of its thread's CPU time. Threads that start later inherit the events of the
 * thread that starts them. The kernel allows inheritance only for events that are bound to a CPU; hence so many. The rings
 * belong to events of this process that measure nothing, so they stay when a thread of the other process ends.
 */
#ifndef HP_PERF_EVENTS_H
#define HP_PERF_EVENTS_H

#include "unwind_step.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_perf_ring;

struct hp_perf_events {
	uint32_t pid;
	uint64_t period_ns;
	/** The kernel does not let us sample the time in system calls. */
	bool without_kernel;
	/** How many bytes of its stack a sample has; 0 when the kernel gives none. */
	uint32_t stack_bytes;
	/** The highest descriptor that an event may have. */
	int files_max;
	/** How many frames the kernel puts into a stack. */
	uint16_t depth;
	struct hp_perf_ring *rings;
	size_t ring_count;
	/** For poll: the rings that are to be read. */
	struct pollfd *polls;
	/** All events, with the thread that each was made for; by the kernel's id of the event. */
	struct hp_perf_event *events;
	size_t event_count;
	size_t event_room;
	/** The threads that have events. */
	uint32_t *tids;
	size_t tid_count;
	size_t tid_room;
	/** Threads that could not have any, because there are too many open files. */
	uint64_t left_out;
	/** Records that the kernel had no room for in a ring. */
	uint64_t lost;
	/** A record that is in two parts in its ring is copied to here. */
	char *copy;
};

/** A sample; its pointers are valid until the next record is read. */
struct hp_perf_sample {
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;
	/** The thread whose event it is. */
	uint32_t event;
	bool in_kernel;
	/** The call stack as frame pointers tell it, innermost first: the instruction, and return addresses. */
	const uint64_t *addresses;
	size_t count;
	/** The registers of the program, and a copy of its stack from the stack pointer on; NULL when they are not known. */
	const unsigned char *stack;
	size_t stack_size;
	struct hp_registers registers;
};

/** Functions that are called for each record of the process that was asked for, and of no other. */
struct hp_perf_listener {
	void *context;
	void (*sample)(void *context, const struct hp_perf_sample *sample);
	/** Code was mapped. */
	void (*mapped)(void *context, uint64_t start, uint64_t size, uint64_t offset,
		       const char *path);
	void (*named)(void *context, uint32_t tid, const char *name);
	/** The process executes another program from this moment on. */
	void (*executed)(void *context, uint64_t time_ns);
	void (*began)(void *context, uint32_t tid, uint32_t parent, uint64_t time_ns);
	void (*ended)(void *context, uint32_t tid, uint64_t time_ns);
};

/**
 * Make the rings. Moments are those of CLOCK_MONOTONIC.
 *
 * @return
 *         0, or a negative errno: that of perf_event_open, or -ENOBUFS when there is no memory for rings.
 */
int hp_perf_open(struct hp_perf_events *events, uint32_t pid, uint64_t period_ns);

/**
 * Sample a thread, if that is not done yet. It does not matter if the thread has inherited events, too.
 *
 * @return
 *         0, also when the thread is gone; or a negative errno.
 */
int hp_perf_add_thread(struct hp_perf_events *events, uint32_t tid);

/** Tell the listener of all records so far: first of mappings and threads, then of samples, which need those. */
void hp_perf_read(struct hp_perf_events *events, const struct hp_perf_listener *listener);

void hp_perf_close(struct hp_perf_events *events);

#endif
