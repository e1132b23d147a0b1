/* SPDX-License-Identifier: MIT */
/* What a model knows of threads: those that run, and those that have ended. */
#ifndef HP_THREAD_LIST_H
#define HP_THREAD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is known of threads, field by field. */
extern const struct hp_kind hp_kind_threads;

/** What a thread does, by the letter that the kernel has for it. */
enum hp_thread_state {
	HP_THREAD_UNKNOWN = 0,
	HP_THREAD_RUNNING = 'R',
	HP_THREAD_SLEEPING = 'S',
	HP_THREAD_BLOCKED = 'D',
	HP_THREAD_STOPPED = 'T',
	HP_THREAD_IDLE = 'I',
	HP_THREAD_ZOMBIE = 'Z',
	HP_THREAD_ENDED = 'X',
};

/** CPU share in percent: not known. */
#define HP_CPU_PERCENT_UNKNOWN (-1.0)

/** A thread; or several that have ended, of which only sums are known. These have a name if it is that of all of them. */
struct hp_thread {
	char *name;
	/** Named by the program with HOTPATH_THREAD_NAME; otherwise the system's name may be newer. */
	bool is_named;
	/** 0 for several. */
	uint32_t tid;
	uint32_t pid;
	enum hp_thread_state state;
	/** How many threads these are. */
	uint64_t threads;
	/** Whether the times are known. For a sum, they are those of the threads whose times are known. */
	bool has_times;
	uint64_t user_ns;
	uint64_t system_ns;
	/** How long it was runnable but had no processor; known if the times are. */
	uint64_t queue_ns;
	/**
	 * In percent of a core: now, on average over the time that is recorded of it, and the peak that was seen. Negative
	 * if not known.
	 */
	double cpu_now;
	double cpu_avg;
	double cpu_max;
	/** In the same unit, if allocations were recorded. */
	uint64_t allocated_bytes;
	uint64_t freed_bytes;
	/** When it was first recorded, in ticks; the time since then, or since the process began for its first thread; and its
	    CPU time before that. All 0 if not known. Of several: when the first was; and the sums. */
	uint64_t since;
	uint64_t recorded_ns;
	uint64_t before_ns;
	/** Its CPU time when it was first recorded, which is more than that if the process began before; of one thread. */
	uint64_t first_ns;
	/** When it ended, by CLOCK_MONOTONIC; 0 when that is not known, or it has not. */
	uint64_t ended_ns;
};

struct hp_threads {
	/** By pid and tid. */
	struct hp_thread *items;
	size_t count;
	size_t room;
	/** The sum of ended threads that have no row. It has no name, and its CPU shares are meaningless. */
	struct hp_thread rest;
};

/** A thread of which nothing is known. */
struct hp_thread hp_thread_new(uint32_t pid, uint32_t tid);

/** The CPU share of one thread, limited to 100 %: time and CPU time were not read at the same instant. */
double hp_cpu_percent(uint64_t cpu_ns, uint64_t elapsed_ns);

/** Set the times of a thread over its whole life, and compute its average CPU share in the time that is recorded of it. */
void hp_thread_set_times(struct hp_thread *thread, uint64_t user_ns, uint64_t system_ns,
			 uint64_t queue_ns);

/** The first thread of a process was there for at least so long as that is known to have lived. */
void hp_threads_lasted(struct hp_threads *threads, uint32_t pid, uint64_t elapsed_ns);

/** Its user and system time. */
uint64_t hp_thread_cpu_ns(const struct hp_thread *thread);

/** The CPU time of all threads whose times are known; and the part since they were first recorded. */
uint64_t hp_threads_cpu_ns(const struct hp_threads *threads);
uint64_t hp_threads_recorded_ns(const struct hp_threads *threads);

/** Add the times and bytes of one to those of several. */
void hp_thread_add(struct hp_thread *sum, const struct hp_thread *thread);

/** Append a thread, with its name. Returns false when memory ran out; the name is the caller's then. */
bool hp_threads_append(struct hp_threads *threads, struct hp_thread thread);

/** How many threads there are and were. */
uint64_t hp_threads_total(const struct hp_threads *threads);

/** Sort by pid and tid. */
void hp_threads_sort(struct hp_threads *threads);

/** Add those of one process to those of another. Returns 0, or -ENOMEM. */
int hp_threads_merge(struct hp_threads *into, const struct hp_threads *from);

/** Make one sum of all. */
void hp_threads_collapse(struct hp_threads *threads);

void hp_threads_clear(struct hp_threads *threads);

#endif
