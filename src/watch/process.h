/* SPDX-License-Identifier: MIT */
/* Whether the process is there that writes to a segment, and whether it gets to do so. */
#ifndef HP_PROCESS_H
#define HP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct hp_process {
	/** 0 when it is of another PID namespace: then the kernel tells us nothing of it. */
	uint32_t pid;
	/** The segment's file, which is somebody else's to close; and the name that it has in its folder. */
	int file;
	const char *name;
	/** Becomes readable when the process has ended; -1 where the kernel has no such thing. */
	int handle;
	bool is_there;
	/** It holds the lock of the file, which is quick to see. */
	bool holds_lock;
	/** When its mappings are looked at again, by CLOCK_MONOTONIC; while it holds no lock. */
	uint64_t next_ns;
};

/**
 * @param path
 *         The segment's file, open as file: both are needed until it is closed.
 */
void hp_process_open(struct hp_process *process, uint32_t pid, int file, const char *path);

/**
 * Whether it is there and writes to the segment.
 *
 * Where it holds a lock on the file, that ends at once; elsewhere it is noticed after some seconds that it executes
 * another program: all of its mappings have to be looked at for that.
 */
bool hp_process_is_there(struct hp_process *process);

/** Whether it was stopped, by a signal or a debugger. */
bool hp_process_is_stopped(const struct hp_process *process);

void hp_process_close(struct hp_process *process);

#endif
