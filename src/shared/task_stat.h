/* SPDX-License-Identifier: MIT */
/* What the kernel tells of a thread in /proc: its state, its name and its times. */
#ifndef HP_TASK_STAT_H
#define HP_TASK_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct hp_task_stat {
	uint32_t tid;
	/** The kernel's letter for what the thread does: R, S, D, T, Z … */
	char state;
	char name[32];
	/** The process that started its process. */
	uint32_t parent_pid;
	/** The kernel's PF_ flags. */
	uint32_t flags;
	/** Since the thread began. */
	uint64_t user_ns;
	uint64_t system_ns;
	/** CPU time of the children that its process has waited for, and of theirs, to a clock tick. */
	uint64_t children_user_ns;
	uint64_t children_system_ns;
	/** How long it was runnable and waited for a processor. */
	uint64_t queue_ns;
	/** How it ended, as wait tells; known while nobody has waited for it. */
	int exit_code;
	/** When it began: clock ticks since boot. A tid may be used again, but not with the same start. */
	uint64_t start;
};

/**
 * Read the two small files of a thread. "stat" has its state, and user and system time in clock ticks; "schedstat" has its
 * run time in nanoseconds, which is split in the proportion of those two, as the kernel does.
 *
 * @param folder
 *         A descriptor of /proc/PID/task.
 * @return
 *         False when there is no such thread.
 */
bool hp_task_stat_read(int folder, uint32_t tid, struct hp_task_stat *task);

/**
 * Read those of a process. User and system time are those of all of its threads, to a clock tick; queue_ns is not known.
 *
 * @return
 *         False when there is no such process.
 */
bool hp_task_stat_process(uint32_t pid, struct hp_task_stat *process);

#endif
