/* SPDX-License-Identifier: MIT */
/* When recording begins, and how it ends with the process. */
#ifndef HOTPATH_LIFECYCLE_H
#define HOTPATH_LIFECYCLE_H

#include "hotpath/abi.h"

#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct recorder;

/* The recorder's state, an enum state, never STATE_UNSET. hotpath__ready also begins to record if the state is
   STATE_ARMED, and knows what a measured call costs from then on. A sample does not need that, and many processes have
   little else. */
uint32_t hotpath__state(void);
uint32_t hotpath__ready(void);
uint32_t hotpath__ready_to_look(void);
/* Begin to record; returns the state after that. */
uint32_t hotpath__begin_recording(struct recorder *recorder);
/*
 * Create the segment before anything is measured, if the tool runs the program: called when its folder will soon be
 * out of reach, as before chroot. The tool removes segments that stay empty.
 */
void hotpath__reserve_segment(void);
/* Strict seccomp mode begins, in which a thread may not even read the clock: record nothing more on this thread,
   and no new threads. */
void hotpath__give_up(void);
/* Recording begins later than the program, and is about the time from then on. */
void hotpath__begins_late(void);
/* Recording is asked for from outside, and the tool reads the segment: begin it, unless it has begun, with so many samples per
   second of CPU time, and with no function armed. False when it is impossible; *began says whether this has begun it. */
bool hotpath__request_begins(unsigned rate, bool *began);
/* End what a request has begun, also in a child that was forked meanwhile. */
void hotpath__request_ends(void);
/* Whether the program began as root, and is another user now. */
bool hotpath__was_root(void);
/* Whether forked children record too. */
void hotpath__children_record(bool record);
/* Call the function that was set by hotpath_before_stop, once. Returns whether it was called now. */
bool hotpath__call_before_stop(void);
/* Register an exit handler that stores the exit status, before the report is printed. */
void hotpath__watch_exit(void);
/* The process ends without exit handlers: store when, and what its threads have used. Any thread and signal handler may
   call it, also in a child of vfork, where it does nothing. */
void hotpath__note_leaving(void);
/* This thread executes another program: store the same; or that has failed, and the process goes on: undo it. */
void hotpath__note_executing(void);
void hotpath__note_staying(void);
/* Register a fork handler: a child begins with a state of its own, and is sampled if its parent was. */
void hotpath__watch_forks(void);
/* Call exit after so many milliseconds; 0 does nothing. */
void hotpath__plan_shutdown(unsigned milliseconds);
/* Count a fault in the header, for code that may have no lane. */
void hotpath__count(enum hp_counter counter);

/* ---- the program, as the segment describes it ---- */

/* Keep a copy of the command line. Called when the program begins, before it can write over its arguments. */
void hotpath__note_program(void);
/* The command line as it was when the program began: words that end with a NUL each. */
const char *hotpath__command_line(size_t *length);
/* The path of the executable, kept from the first call on; empty when it is not known. The lock is held. */
const char *hotpath__executable(void);
/* The start of the process in clock ticks since boot; 0 when it is not known. The text is read into memory of the
   caller's. */
uint64_t hotpath__process_ticks(char *text, size_t size);
/* The same as a time of day. */
uint64_t hotpath__process_unix_ns(uint64_t ticks);
/* Store the executable, the arguments and the start time of the process; the lock is held. */
void hotpath__describe_program(struct hp_header *header);
/* Store the present title of the process; the lock is held. */
void hotpath__note_title(struct hp_header *header);

/* ---- which copy of the recorder this is ---- */

/* Whether this is the copy in the shared library, which never hands over to another. */
extern const bool hotpath__is_shared;
/* Whether the library was loaded into a program with another C library, such as musl, where it does nothing. */
bool hotpath__is_foreign(void);

/* ---- the report, which is on the other side of the fence ---- */

/*
 * Load the library that prints the report, unless the tool will print it. Called before anything is recorded, and
 * before the program can change its root or give up privileges.
 */
void hotpath__report_prepare(void);
/* Print the report of a segment in memory, as the options and the environment say. */
void hotpath__self_report(const void *segment, size_t size, const struct hotpath_options *options);

#pragma GCC visibility pop

#endif
