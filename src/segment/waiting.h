/* SPDX-License-Identifier: MIT */
/* The part of the segment format that is about waiting: for what threads wait, and what one waits for now. */
#ifndef HP_WAITING_H
#define HP_WAITING_H

#include <stdint.h>

/* What a thread waits for. The numbers are part of the format. */
enum hp_reason {
	HP_REASON_NONE = 0,
	HP_REASON_LOCK = 1,
	HP_REASON_CONDITION = 2,
	HP_REASON_SEMAPHORE = 3,
	HP_REASON_BARRIER = 4,
	/* The end of a thread; and of an initialisation that another thread has begun. */
	HP_REASON_JOIN = 5,
	HP_REASON_ONCE = 6,
	HP_REASON_SLEEP = 7,
	/* A descriptor that becomes ready, in poll, select, epoll_wait and the like. */
	HP_REASON_POLL = 8,
	/* The end of a child, or a signal. */
	HP_REASON_CHILD = 9,
	HP_REASON_SIGNAL = 10,
	/* A futex of the program's own, or of a library other than the C library. */
	HP_REASON_FUTEX = 11,
	/* Input and output, by what the descriptor is: a file or a disk; a socket; a pipe, a terminal and the rest. */
	HP_REASON_DISK = 12,
	HP_REASON_NETWORK = 13,
	HP_REASON_PIPE = 14,
	HP_REASONS,
};

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
	uint32_t reserved0;
};

#endif
