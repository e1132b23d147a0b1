/* SPDX-License-Identifier: MIT */
/* Whether the process is there that writes to a segment, and whether it gets to do so. */
#ifndef HP_PROCESS_H
#define HP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct hp_process {
	uint32_t pid;
	/** Becomes readable when the process has ended; -1 where the kernel has no such thing. */
	int handle;
	bool is_there;
	/** When its mappings are looked at again, by CLOCK_MONOTONIC. */
	uint64_t next_ns;
};

/** @param path The segment's file. */
void hp_process_open(struct hp_process *process, uint32_t pid, const char *path);

/**
 * Whether it is there and writes to the segment.
 *
 * That it has ended is noticed at once; that it now executes another program, after some seconds: all of its
 * mappings have to be looked at for that.
 */
bool hp_process_is_there(struct hp_process *process, const char *path);

/** Whether it was stopped, by a signal or a debugger. */
bool hp_process_is_stopped(const struct hp_process *process);

void hp_process_close(struct hp_process *process);

#endif
