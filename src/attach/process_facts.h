/* SPDX-License-Identifier: MIT */
/* Facts about a process that is attached to, from /proc. */
#ifndef HP_PROCESS_FACTS_H
#define HP_PROCESS_FACTS_H

#include "attach.h"
#include "segment_writer.h"

#include <time.h>

/**
 * Whether a process can be attached to at all, whoever may do so.
 *
 * @return
 *         False with the problem: it does not exist, has ended, is part of the kernel, or a thread.
 */
bool hp_process_check(uint32_t pid, struct hp_attach_problem *problem);

/**
 * The thread whose files in /proc tell of the memory of a process: the first one, unless it has ended and others have not. Such
 * files are found by the number of any thread.
 */
uint32_t hp_process_speaker(uint32_t pid);

/** Say why the kernel has refused an event of a process; error is a negative errno of perf_event_open. */
void hp_process_refused(uint32_t pid, int error, struct hp_attach_problem *problem);

/** Store the program, its arguments, title, parent and start in the header. */
void hp_process_describe(uint32_t pid, uint32_t speaker, struct hp_segment_writer *writer);

/** Store its resident memory in the header, unless it is gone. */
void hp_process_memory(uint32_t speaker, struct hp_header *header);

/** CPU time of the whole process, ended threads included; 0 when it is gone. */
uint64_t hp_process_cpu_ns(uint32_t pid);

/** The system time of that, to a clock tick. */
uint64_t hp_process_system_ns(uint32_t pid);

/**
 * How a process has ended.
 *
 * @param handle
 *         A descriptor from pidfd_open.
 * @param status
 *         As wait tells.
 * @return
 *         False when it is not known: kernels before 6.15 forget it when the parent has waited for the process.
 */
bool hp_process_ended(uint32_t pid, int handle, int *status);

#endif
