/* SPDX-License-Identifier: MIT */
/*
 * Attaches to a process that already runs, and samples it from outside.
 *
 * The kernel's performance events tell of its CPU time, /proc of its threads and its memory. The process is not stopped, traced
 * or sent a signal, and nothing in it changes. What is seen is written to a segment, as the recorder would write it, so everything
 * that reads segments can be used meanwhile and afterwards.
 */
#ifndef HP_ATTACH_H
#define HP_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

struct hp_attachment;

/** Room for the one line that says what is wrong. */
struct hp_attach_problem {
	char text[256];
};

/** How an attachment has ended. */
struct hp_attach_end {
	enum {
		/** The time is over, or the user wanted it; the process goes on. */
		HP_ATTACH_LEFT,
		HP_ATTACH_EXITED,
		/** The process executes another program. */
		HP_ATTACH_EXECUTED,
	} why;
	/** If it has exited: the exit status, -1 when not known; and the signal that ended it, 0 for none. */
	int status;
	int signal;
};

/**
 * Begin.
 *
 * @param rate_hz
 *         Samples per second of CPU time, 1 to 10000.
 * @param run
 *         The name of the run that the process belongs to; "" for none.
 * @return
 *         NULL with the problem.
 */
struct hp_attachment *hp_attach(uint32_t pid, uint32_t rate_hz, const char *run,
				struct hp_attach_problem *problem);

/**
 * Go on until a moment of CLOCK_MONOTONIC, until `is_over` returns true, or until the process ends.
 *
 * @param until_ns
 *         0 for no such moment.
 */
struct hp_attach_end hp_attach_run(struct hp_attachment *attachment, uint64_t until_ns,
				   bool (*is_over)(void));

/** The path of the segment. */
const char *hp_attach_path(const struct hp_attachment *attachment);

/** How many threads are not sampled, because the limit of open files is reached. */
uint64_t hp_attach_left_out(const struct hp_attachment *attachment);

/** Tell in the segment that the process has functions with sleds, but may not change its code. */
void hp_attach_unpatched(struct hp_attachment *attachment);

/**
 * Complete the segment, and free the attachment. The segment counts as that of a running program until this process ends.
 */
void hp_attach_close(struct hp_attachment *attachment);

#endif
