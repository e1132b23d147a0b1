/* SPDX-License-Identifier: MIT */
/*
 * The recorder's state: of the process, of each thread, of each open call.
 *
 *	recorder ─► thread ─┬─► frames      open calls, innermost last
 *	            thread  ├─► slots ─► branches      functions at their places of the call tree
 *	            …       └─► lane, in the segment      with the figures of calls that have ended
 */
#ifndef HOTPATH_STATE_H
#define HOTPATH_STATE_H

#include "hotpath/abi.h"

#include "atomic.h"
#include "memory/heap_state.h"
#include "place.h"
#include "segment.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* A function that is seldom called, in a file that is compiled for speed: keep it small, and out of line. */
#define SELDOM __attribute__((cold, noinline))

/* Read the processor's cycle or timer counter; the hot path's clock. */
static inline uint64_t hotpath__counter(void)
{
#if defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#elif defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/*
 * The same, after all earlier instructions have completed: processors execute out of order, and would read the
 * counter before the measured work is done. On x86-64 waiting costs a few nanoseconds. On aarch64 it would cost as
 * much as the reading itself, so there is no wait, and durations of short calls may be off by some tens of
 * nanoseconds.
 */
static inline uint64_t hotpath__counter_after(void)
{
#if defined(__x86_64__)
	unsigned processor;

	return __builtin_ia32_rdtscp(&processor);
#else
	return hotpath__counter();
#endif
}

enum {
	/* Frames that a thread state has at first. */
	FRAMES_FIRST = 256,
	/* The most that a thread can have: recursion a million deep is measured. */
	FRAMES_MAX = 2 * 1024 * 1024,
	/* Size of a thread's table of strays, which are open calls on other stacks. */
	STRAYS = 64,
	/* Stats are looked up by site id in a two-level table; so many entries are in a page. */
	INDEX_PAGE = 256,
	INDEX_PAGES = HP_SITES_MAX / INDEX_PAGE + 1,
	/* The same for queues by their number. */
	QUEUE_PAGE = 256,
	QUEUE_PAGES = HP_QUEUES_MAX / QUEUE_PAGE,
	/* The number of a queue's stamps is one of four: (16 << 2k) - 1, for k from 0 to 3. */
	STAMP_SIZES = 4,
	SLOTS_FIRST = 256,
	/* Values of `busy` that are not stack pointers. */
	READY = 1,
	SHARED = 2,
	/* The stack frame of one function is assumed to be smaller than this, in bytes. */
	REACH_MAX = 1024 * 1024,
};

/*
 * The token of a span says how it is recorded if it has no frame. The hot path does not initialise it, so for a span
 * with a frame it may have any value: that is why the kinds are unlikely numbers, mixed with the span's address.
 */
enum token {
	/* Not measured. */
	TOKEN_NONE = 0,
	/* As a stray, in the table of the thread that began it. */
	TOKEN_STRAY = 0x73747261,
	/* As an operation, which no thread keeps. */
	TOKEN_OPERATION = 0x6f706572,
};

static inline uint64_t hotpath__token(const struct hotpath_span *span, enum token kind)
{
	return (uint64_t)(uintptr_t)span ^ (uint64_t)kind << 32;
}

/*
 * A branch: one function at one place of the call tree, as reached by one chain of callers. With HOTPATH_TREE=0 every
 * function has a single branch, directly below the root.
 */
struct branch {
	struct hp_stat *stat;
	/* `inner` is the number of this branch's node, in the high bits: a function called from here is found by
	   the key (inner | id of its site). `outer` is `inner` of the branch that this one is called from. */
	uint64_t inner;
	uint64_t outer;
	/* The offset of its node in the segment; 0 when it is not in the call tree. */
	uint64_t node;
	uint64_t site;
	/* Calls in progress in this branch that are recursive, which means inside another call of the same
	   function. */
	uint64_t nested;
	/* The branch that it is called from. */
	struct branch *from;
	uint64_t unused;
};

static_assert(sizeof(struct branch) == 64, "a branch is a cache line");

/*
 * A slot of the hash table in which branches are found. There are two kinds of keys: the caller's `inner` with the id
 * of the site; and the id, or the address, of a function alone, which leads to the branch in which it was called
 * last. The latter does not depend on the caller, so the processor can look it up while it still works on the call
 * before. The table uses open addressing, with a load of at most a quarter. A key of 0 is an empty slot; slot 0 is
 * never empty, so that a site without an id (0) is not found there.
 */
struct slot {
	uint64_t key;
	struct branch *branch;
};

/*
 * A frame: an open call. Frames are in the recorder's memory and not in the spans on the program's stack, because a
 * longjmp discards those; what is here can be read and repaired at any time.
 */
struct frame {
	/* When the call began; after it has ended, when it ended. */
	uint64_t start;
	union {
		/* What began the call: the address of its span, or the return address of the entry hook. It tells
		   calls of the same height apart: if one begins that is open already, the open one was left by
		   longjmp. */
		uintptr_t from;
		/* For a stray of a signal handler: the frame that was interrupted. */
		struct frame *interrupted;
	};
	/* Ticks of the measured calls inside this one. */
	uint64_t children;
	/* The profiler's own time inside this call, in 1/256 ticks. */
	uint64_t lost;
	struct branch *branch;
	/* What ends the call: the address of its span, or of the function; with flags, which make the hot path
	   leave it to the slow path. 0 in an unused stray. */
	uintptr_t key;
	/* The stack pointer of the function that began the call, less the lowest address of the thread's stack.
	   For a stray, whose stack is not known, the stack pointer itself. */
	uintptr_t height;
	union {
		/* The stat of the branch. */
		struct hp_stat *stat;
		/* For a stray: the stray around it; NULL for none. */
		struct frame *around;
	};
};

/* Flags of a key, in bits that no address uses. KEY_SLOW: a value was logged, or the clock is not the counter.
   KEY_FUNCTION: the stray is that of a function, not of a span. KEY_TALLIED: the call has a tally, because it or a
   call inside has allocated. The hot path compares the whole key, so it does not end a frame that has a flag. */
#define KEY_SLOW ((uintptr_t)1 << 63)
#define KEY_FUNCTION ((uintptr_t)1 << 62)
#define KEY_TALLIED ((uintptr_t)1 << 61)
/* The key of a stray that a thread is just ending: it is not open any more, and its place is not free yet. */
#define KEY_TAKEN ((uintptr_t)1)

static_assert(sizeof(struct frame) == 64, "a frame is a cache line");

/*
 * An exit of a function that the compiler has instrumented.
 *
 * The function may have been split: gcc inlines its first part, which has the call of the entry hook, and calls or
 * jumps to the rest, name.part.0, which has the call of the exit hook.
 *
 *	                              by_jump     sp, compared with that at the entry
 *	whole                         no          equal, or lower after alloca
 *	whole                         yes         higher
 *	part, called                  no          lower
 *	part, called                  yes         equal
 *	part, jumped to               no          lower, equal or higher
 *	part, jumped to               yes         higher
 */
struct leaving {
	uintptr_t function;
	uintptr_t sp;
	/* The exit hook was reached by a jump (tail call): the function's stack frame is gone, and sp is that of
	   its caller. */
	bool by_jump;
};

/* The state of a thread. When the thread has ended, the next new thread uses it, with its lane. */
struct thread {
	/* READY; or, while the recorder changes this state or its lane, the stack pointer at which it was entered:
	   a signal handler that finds this uses the second state. SHARED: not a state, but a group of tasks that
	   share thread-local variables. 0: unused, or in a forked child, where the kernel has wiped the whole
	   struct. */
	uintptr_t busy;
	/* The innermost open call. The first frame is no call: its height is the size of the stack, and it
	   collects the times of calls that have no parent. */
	struct frame *top;
	/* The frame of the call that allocates: while it is the top, the fast path of malloc only adds to the
	   lane. NULL when the next allocation must take the slow path. owner_sp is the stack pointer of its
	   function, alloc the figures of that function. */
	struct frame *owner;
	uintptr_t owner_sp;
	struct hp_alloc *alloc;
	/* The end of the frames that the hot path may use; equal to `frames` when it may not begin any call. */
	struct frame *limit;
	/* The lowest address of the thread's own stack. */
	uintptr_t stack_low;
	struct hp_lane *lane;
	/* Calls that began before this time are not counted. */
	uint64_t session_start;
	/* The same for the hot path; UINT64_MAX when the clock is not the processor's counter, which is all that
	   the hot path can read. */
	uint64_t fast_since;
	/* The cost of measuring a call, in 1/256 ticks: span_cost is subtracted from the calls around it,
	   inner_cost, which may be negative, from the call itself. */
	uint64_t span_cost;
	uint64_t inner_cost;
	/* The state of recording allocations; NULL when the thread has not allocated yet. */
	struct memory *memory;
	/* One tally for each frame; valid if the frame's key has KEY_TALLIED. */
	struct tally *tallies;
	/* The hash table of branches, which has 1 << (32 - shift) slots. */
	struct slot *slots;
	unsigned shift;
	unsigned slots_used;
	/* A second table of the same size, into which the slots are moved when addresses are forgotten; NULL until
	   needed. */
	struct slot *other_slots;
	char *base;
	struct frame *frames;
	/* The size of the array of frames; the last one is not used. */
	size_t room;
	/* The session that the lane's figures belong to. */
	uint32_t session;
	/* The recorder's `unloads` for which the addresses among the keys are right. */
	uint32_t unloads;
	unsigned nodes;
	/* The unused branches of the last block of them. */
	struct branch *branches;
	unsigned spare_branches;

	/* What is left of the lane's chunk of the segment: a lane allocates in chunks of its own, so that threads
	   share no cache line. */
	uint64_t chunk;
	uint64_t chunk_left;
	/* The second state, for signal handlers that interrupt the recorder; NULL until needed. */
	struct thread *interrupt;
	struct thread *next;
	struct thread *next_free;
	/* The bounds of the stack are known, not assumed. */
	bool bounds_known;
	/* The state belongs to a task that shares its thread-local variables with others. */
	bool is_task;
	/* How many rounds of thread-exit destructors have passed. */
	unsigned farewells;
	uint32_t tid;
	/* The next stray to be replaced, counted modulo STRAYS; and how many of the strays are those of functions. */
	unsigned next_stray;
	unsigned function_strays;
	/* There was a stray since the thread began. */
	bool has_strays;
	/* The coroutine that the thread executes, 0 when that is not known; and the bounds of its stack. */
	uint64_t fiber;
	uintptr_t fiber_low;
	uintptr_t fiber_high;
	/* The value that was logged last, and the frame it belongs to. */
	struct frame *logged_by;
	uint64_t value;
	uint32_t value_kind;
	char text[HP_TEXT_SIZE];
	/* A buffer for a longer text, NULL until needed; and a pointer to the one of both that has the logged
	   text. */
	char *long_text;
	char *logged_text;
	char name[HP_NAME_MAX];
	/* The hash table of the lane's stacks; NULL when the lane has no sample yet. */
	struct stacks *stacks;
	struct frame strays[STRAYS];
	/* The coroutine of each stray; 0 when it is not known. */
	uint64_t stray_fibers[STRAYS];
	struct tally stray_tallies[STRAYS];
	struct hp_stat **index[INDEX_PAGES];
	/* The root of the call tree; and a mark in the table, for functions that are not to be measured. */
	struct branch root;
	struct branch skipped;
	struct slot first_slots[SLOTS_FIRST];
	struct tally first_tallies[FRAMES_FIRST];
	struct frame first[FRAMES_FIRST];
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

/* CPU sampling of the process. Protected by the lock, except for fields that are said to be read without it. */
struct sampling {
	/* New threads are to be sampled. This and the signal are read without the lock. */
	bool on;
	int signal;
	enum hp_cpu_source source;
	enum hp_cpu_end end;
	unsigned rate;
	/* Does not change while it is on. */
	uint64_t period_ns;
	/* CPU time and system time of the process that it had used before, if it was recorded without sampling
	   until then; else 0, and loading_ns is the CPU time that was needed to load the program. */
	uint64_t before_ns;
	uint64_t before_system_ns;
	uint64_t loading_ns;
	/* The program runs under valgrind, which would report what we read of its stack. */
	bool is_watched;
	/* The program's own action for the signal, which sigaction reports to it. */
	struct sigaction before;
	struct sampler *samplers;
	struct sampler *spare;
	unsigned count;
	/* Unused structs with the start routine and argument of a thread that is being created. */
	struct hotpath__task *spare_tasks;
	/* The table of executable mappings and its length, read without the lock; and the time (ticks) from which
	   on an address that is in none of them may be looked up again. */
	struct hotpath__range *ranges;
	unsigned range_count;
	uint64_t lookups_after;
	/* Bytes of the segment that stacks use. */
	uint64_t stack_bytes;
};

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
	/* The function that the program set by hotpath_before_stop; NULL when there is none, or it was called. */
	void (*before_stop)(void);
	/* The hash table of sites that probes registered; the lock is needed to add one. */
	struct found_site *found_sites;
	/* Incremented with each stop and each start after the first, so it is odd while stopped. And when the
	   session began. */
	uint32_t session;
	uint64_t session_start;
	uint64_t span_cost;
	uint64_t inner_cost;
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

/* Whether the environment asks for CPU sampling; if it does, the program's own options do not count. */
enum cpu_wish {
	CPU_UNSET = 0,
	CPU_OFF,
	CPU_ON,
};

enum {
	CPU_RATE_MAX = 10000,
};

/* What the environment asks for, read once. */
struct settings {
	bool off;
	bool monotonic;
	bool tree;
	enum hp_alloc_mode alloc;
	/* Whether to sample the CPU, how many times per second, and by which source. */
	enum cpu_wish cpu;
	unsigned cpu_rate;
	enum hp_cpu_source cpu_source;
	unsigned logs_limit;
	/* The maximal length of logged texts in bytes; 0 for what fits into their fixed size. */
	unsigned max_log_len;
	/* HOTPATH_USER_METADATA is set, and valid. */
	bool has_metadata;
	unsigned entries_limit;
	unsigned shutdown_ms;
	char run[HP_RUN_MAX];
};

#endif
