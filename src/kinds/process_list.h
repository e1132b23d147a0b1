/* SPDX-License-Identifier: MIT */
/* What a model knows of the processes of a run, as a tree. */
#ifndef HP_PROCESS_LIST_H
#define HP_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is known of processes, field by field. */
extern const struct hp_kind hp_kind_processes;

/** How a process ended. */
enum hp_process_end {
	HP_PROCESS_END_UNKNOWN,
	HP_PROCESS_RUNNING,
	/** With an exit status. */
	HP_PROCESS_EXITED,
	/** By a signal. */
	HP_PROCESS_KILLED,
};

/** A process; or several short ones of one program, of which the figures are sums, and the peaks the largest. */
struct hp_process {
	/** The file name of its executable, and its arguments; those of several are "" if they differ. */
	char *program;
	char *arguments;
	/** What it wrote over its command line; NULL if not known. */
	char *title;
	uint32_t pid;
	/** 0 if not known. */
	uint32_t parent;
	/** How many processes these are. */
	uint64_t count;
	/** How far from the root of the tree. */
	uint32_t depth;
	/** Of the process, which may be before its recording began. Of several, of the first. */
	uint64_t start_unix_ns;
	/** From its start to its end, or until now. */
	uint64_t elapsed_ns;
	bool has_elapsed;
	/** Its CPU time, without that of its children. */
	uint64_t user_ns;
	uint64_t system_ns;
	bool has_times;
	/** 0 if not known. */
	uint64_t peak_rss_bytes;
	enum hp_process_end end;
	/** Its exit status, or the signal that ended it. Of several, the worst one. */
	uint32_t status;
	/** Samples of its CPU time. */
	uint64_t samples;
	bool is_sampled;
};

struct hp_processes {
	/** Parents before their children, which follow in the order of their start. */
	struct hp_process *items;
	size_t count;
	size_t room;
};

/** Append a process, which is the list's from then on. Returns false when memory ran out; it is the caller's then. */
bool hp_processes_append(struct hp_processes *list, struct hp_process process);

/** The process with this number; of several with the same one, the last. NULL if there is none. */
struct hp_process *hp_processes_find(const struct hp_processes *list, uint32_t pid);

/**
 * The process that had this number at a moment, though the number may have been used again: of those with it that had started
 * by then, the last. NULL if there is none with this number.
 */
struct hp_process *hp_processes_at(const struct hp_processes *list, uint32_t pid, uint64_t unix_ns);

/**
 * Put all in the order of the tree, and make one of siblings of one program that have ended after a short time: a second, or
 * a quarter of the time of all.
 *
 * @return
 *         0, or -ENOMEM; then nothing is changed.
 */
int hp_processes_arrange(struct hp_processes *list);

/** From the first start to the last end. Not of a list that is arranged: some of its rows are sums. */
uint64_t hp_processes_elapsed_ns(const struct hp_processes *list);

/** Append copies of those of another list, which stay as they are arranged. Returns 0, or -ENOMEM. */
int hp_processes_merge(struct hp_processes *into, const struct hp_processes *from);

/** How many there are, and their CPU time. */
uint64_t hp_processes_total(const struct hp_processes *list);
uint64_t hp_processes_cpu_ns(const struct hp_processes *list);

void hp_process_clear(struct hp_process *process);
void hp_processes_clear(struct hp_processes *list);

#endif
