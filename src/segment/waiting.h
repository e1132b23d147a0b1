/* SPDX-License-Identifier: MIT */
/* The part of the segment format that is about waiting: for what threads wait, and what one waits for now. */
#ifndef HP_WAITING_H
#define HP_WAITING_H

#include <stdint.h>

/* What a thread waits for. The numbers are part of the format. */
enum hp_reason {
	HP_REASON_NONE = 0,
#define REASON(name, word) HP_REASON_##name,
#include "reasons.def"
#undef REASON
	HP_REASONS,
};

enum {
	/* Locks that a thread holds at once, and of which that is known. */
	HP_HELD_MAX = 14,
};

/* What input and output does. The numbers are part of the format. */
enum hp_operation {
	HP_OPERATION_NONE = 0,
#define OPERATION(name, word) HP_OPERATION_##name,
#include "operations.def"
#undef OPERATION
	HP_OPERATIONS,
};

/* The words of the stat of an HP_SITE_IO. */
enum hp_io_word {
	HP_IO_BYTES = 0,
	HP_IO_ERRORS = 1,
	/* Calls that moved fewer bytes than they were asked for; and that moved less than HP_IO_SMALL_BYTES. */
	HP_IO_SHORT = 2,
	HP_IO_SMALL = 3,
	/* Calls whose time is not known: streams that the C library writes when the program ends. In part 1. */
	HP_IO_UNTIMED = 4,
};

enum { HP_IO_SMALL_BYTES = 4096 };

/** What a thread waits for at the moment. Written by the thread, read while it waits. */
struct hp_blocked {
	/* Since when, in ticks; 0 when it does not wait. RELEASE: stored last. */
	uint64_t since;
	/* An enum hp_reason. */
	uint32_t reason;
	/* Sites: of the function that waits, and of the lock, file or other target; 0 when not known. */
	uint32_t function;
	uint32_t target;
	/* The thread that holds the lock, and the site of the function in which it acquired it; 0 when not known. */
	uint32_t holder;
	uint32_t holder_function;
	/* The number of the lock: it is in `held` of the lanes whose threads hold it now. 0 when not known. */
	uint32_t lock;
	/* 1 if the wait ends by itself, when a time is over. */
	uint32_t is_timed;
	uint32_t reserved0;
};

/**
 * The stacks of waits in one lane, which are samples as those of the CPU are: each stands for so much time that a thread of
 * the lane waited.
 */
struct hp_wait_profile {
	/* What a sample stands for, in ticks; 0 before the first wait. */
	uint64_t period;
	/* All samples, and so no less than the stacks have. */
	uint64_t samples;
	/* The newest stack. RELEASE. */
	uint64_t stacks;
	uint32_t stack_count;
	uint32_t reserved0;
	uint64_t reserved1[3];
};

#endif
