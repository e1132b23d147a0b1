/* SPDX-License-Identifier: MIT */
/* Whether the process that writes to a segment exists, and whether it is stopped. */
#ifndef HP_WRITER_H
#define HP_WRITER_H

#include <stdbool.h>
#include <stdint.h>

struct hp_writer {
	/** 0 if it is in another PID namespace: then the kernel gives no information about it. */
	uint32_t pid;
	/** The segment's file, not owned; and its path. */
	int file;
	const char *name;
	/** A pidfd, readable when the process has ended; -1 if the kernel does not support it. */
	int handle;
	bool is_there;
	/** It holds the lock of the file, which is quick to check. */
	bool holds_lock;
	/** If it holds no lock: when its mappings are checked again, by CLOCK_MONOTONIC. */
	uint64_t next_ns;
};

/**
 * @param path
 *         The segment's file, open as file: both are needed until it is closed.
 */
void hp_writer_open(struct hp_writer *writer, uint32_t pid, int file, const char *path);

/**
 * Whether it exists and writes to the segment.
 *
 * With a lock on the file, the end is noticed at once. Without, it takes some seconds to notice that it executes
 * another program, because all its mappings must be read for that.
 */
bool hp_writer_is_there(struct hp_writer *writer);

/** Whether it was stopped, by a signal or a debugger. */
bool hp_writer_is_stopped(const struct hp_writer *writer);

void hp_writer_close(struct hp_writer *writer);

#endif
