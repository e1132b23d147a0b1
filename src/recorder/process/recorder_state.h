/* SPDX-License-Identifier: MIT */
/*
 * The state of the recorder in this process: its segment, its threads, and the tables that they share.
 *
 * The recorder runs inside the measured program, on any thread, in signal handlers, before main and after it. So it
 * allocates with mmap only, and calls nothing of libc that takes a lock.
 */
#ifndef HOTPATH_RECORDER_STATE_H
#define HOTPATH_RECORDER_STATE_H

#include "atomic.h"
#include "cpu/sampling_state.h"
#include "memory/heap_state.h"
#include "place.h"
#include "segment.h"
#include "thread_state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Queues are looked up by their number in a two-level table; so many entries are in a page. */
	QUEUE_PAGE = 256,
	QUEUE_PAGES = HP_QUEUES_MAX / QUEUE_PAGE,
	/* The number of a queue's stamps is one of four: (16 << 2k) - 1, for k from 0 to 3. */
	STAMP_SIZES = 4,
};

enum state {
	/* Before the first use; also in a forked child. */
	STATE_UNSET = 0,
	/* Switched off, or recording is impossible. */
	STATE_OFF,
	/* Nobody asked for recording yet. */
	STATE_IDLE,
	/* Recording begins with the first measured call. */
	STATE_ARMED,
	STATE_RUNNING,
	/* Another recorder in this process does the work. */
	STATE_HANDED_OVER,
};

struct hotpath__recorder_ops;

/* The state of the recorder: one per process, all zero in a forked child. */
struct recorder {
	uint32_t lock;
	uint32_t state;
	/* The thread that holds the lock, as the address of its hotpath__me; for a task that shares that, as its
	   tid. */
	uintptr_t owner;
	/* The segment: its address; and in bytes, what is allocated, what is ready for use, what is mapped, and
	   its limit. */
	char *base;
	uint64_t used;
	uint64_t usable;
	uint64_t mapped;
	uint64_t capacity;
	/* The file is locked, and the lock lasts as long as the process. */
	bool lock_holds;
	/* An enum control: whether the program is starting or stopping the recording. */
	uint32_t control;
	/* The program itself started the recording, so it prints the report. */
	bool own_report;
	/* A request from outside is being served. */
	bool is_serving;
	/* The exit handler is registered that stores the exit status. */
	bool watched;
	struct thread *threads;
	struct thread *free_threads;
	unsigned thread_count;
	/* The unused thread states of the last block of them, and how many. */
	struct thread *spare;
	unsigned spares;
	/* A list of all memory that was mapped for the recorder. */
	struct hotpath__region *regions;
	/* The rest of the recorder's own memory, from which hotpath__private allocates. */
	char *pool;
	size_t pool_left;
	/* The hash table of sites: the id of the first site of each bucket. */
	uint32_t *buckets;
	/* The modules that code was found in; how often unloading of code began or ended; and how many threads are
	   unloading code at the moment. */
	struct module *modules;
	struct module *spare_modules;
	uint32_t unloads;
	uint32_t unloading;
	/* The tables of allocated blocks: cells by address, and for each heap lists of blocks by address. And
	   origins, by number and by hash. */
	void ***cells;
	struct cell_leaf *cell_leaves;
	void ***blocks[HEAPS];
	struct hp_origin **origins[ORIGIN_PAGES];
	uint32_t *origin_buckets;
	/* The state that records what threads allocate and free after their last destructor. */
	struct thread *orphan;
	struct sampling sampling;
	/* Groups of tasks that share thread-local variables. */
	struct hotpath__group *groups;
	/* The shared of each site, by the site's id; and queues, by their number from 1 on. Two-level tables, read
	   without the lock. */
	struct hp_shared **shares[INDEX_PAGES];
	struct hp_queue **queues[QUEUE_PAGES];
	/* Lists of free queues, one for each number of stamps; and the bytes of the segment that stamps use. */
	uint32_t free_queues[STAMP_SIZES];
	uint64_t stamp_bytes;
	/* How many sites were registered for single instances and for keys made at run time; there is a limit. */
	unsigned entries;
	/* How many sites were registered for static variables that probes found; there is a limit. */
	unsigned static_objects;
	/* The function that the program set by hotpath_before_stop; NULL when there is none, or it was called. */
	void (*before_stop)(void);
	/* The hash table of sites that probes registered; the lock is needed to add one. */
	struct found_site *found_sites;
	/* The hash table of edges; the same. */
	struct edge *edges;
	/* Incremented with each stop and each start after the first, so it is odd while stopped. And when the
	   session began. */
	uint32_t session;
	uint64_t session_start;
	/* The costs of a measured call are known, or a thread is measuring them. */
	bool knows_costs;
	uint64_t span_cost;
	uint64_t inner_cost;
	uint64_t keeping_cost;
	struct followed_cost followed_cost;
	/* The caller, which is the row that is 100 %: the thread on which it began, its stat there (NULL when it
	   is not open), and the generation of the lane, since the state may be another thread's by the time it
	   ends. Below: when it began, and what its thread had measured by then. */
	struct thread *caller_thread;
	struct hp_stat *caller_stat;
	uint32_t caller_generation;
	/* NULL when it is not in the call tree. */
	struct branch *caller_branch;
	/* The address of its function's stack frame; 0 when it is not known. */
	uintptr_t caller_place;
	uint64_t caller_start;
	uint64_t caller_children;
	uint64_t caller_lost;
	uint64_t caller_blocks;
	uint64_t caller_freed;
	/* The path of the segment's file, "" when it is in private memory; and the file's device and inode. */
	char path[HP_PATH_MAX];
	uint64_t device;
	uint64_t inode;
	/* A buffer for the owner of the lock, because its stack may be small. */
	char scratch[HP_PATH_MAX];
	const struct hotpath__recorder_ops *other;
};

#pragma GCC visibility push(hidden)

/* The state of the recorder; NULL before the first use. */
extern struct recorder *hotpath__recorder;

static inline struct hp_header *hotpath__header(void)
{
	return (struct hp_header *)hotpath__recorder->base;
}

static inline bool hotpath__is_stopped(uint32_t session)
{
	return session & 1;
}

/* The session's number as in the segment, where only starts are counted. */
static inline uint32_t hotpath__session_number(uint32_t session)
{
	return session / 2;
}

/* Whether recording is off, or was not asked for yet. Inline, so that programs which record nothing pay for no
   call. */
static inline bool hotpath__is_idle(void)
{
	/* RELAXED: a start on another thread may be seen a little later. */
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);
	uint32_t state = recorder ? load(&recorder->state, RELAXED) : (uint32_t)STATE_UNSET;

	return state == STATE_OFF || state == STATE_IDLE;
}

#pragma GCC visibility pop

#endif
