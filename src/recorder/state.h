/* SPDX-License-Identifier: MIT */
/*
 * What the recorder keeps: of the process, of each thread, of each open call.
 *
 *	recorder ─► thread ─┬─► frames      open calls, innermost last
 *	            thread  ├─► slots ─► branches      functions at their places of the call tree
 *	            …       └─► lane, in the segment      with the figures of what has ended
 */
#ifndef HOTPATH_STATE_H
#define HOTPATH_STATE_H

#include "hotpath/abi.h"

#include "atomic.h"
#include "memory.h"
#include "place.h"
#include "segment.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* A function of a hot file that is seldom called: better small than fast. */
#define SELDOM __attribute__((cold, noinline))

/* The processor's counter: what the hot path reads. */
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
 * The same when all that was to be done before is done: processors read it ahead of work that takes longer. On x86-64
 * waiting for that costs a few nanoseconds. On aarch64 it would cost as much as the reading itself, so that is left out,
 * and what short calls take may be off by some tens of nanoseconds.
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
	/* Calls that a thread may nest before more room is taken. */
	FRAMES_FIRST = 256,
	/* And at most: recursion a million deep is measured. */
	FRAMES_MAX = 2 * 1024 * 1024,
	/* Calls open on other stacks of one thread that are known at once. */
	STRAYS = 64,
	/* Stats are looked up by site id in pages of so many. */
	INDEX_PAGE = 256,
	INDEX_PAGES = HP_SITES_MAX / INDEX_PAGE + 1,
	/* The same for queues by their number. */
	QUEUE_PAGE = 256,
	QUEUE_PAGES = HP_QUEUES_MAX / QUEUE_PAGE,
	/* How many slots for the time when a message was sent a queue may have: 16 << 2k. */
	STAMP_SIZES = 4,
	SLOTS_FIRST = 256,
	/* No stack pointers. */
	READY = 1,
	SHARED = 2,
	/* A function may have so much on the stack, in bytes. */
	REACH_MAX = 1024 * 1024,
};

/*
 * How a span is held that is not a frame: its token. The hot path does not touch it, so it may be any
 * number then; hence these, and the address of the span is mixed in.
 */
enum token {
	/* Not measured. */
	TOKEN_NONE = 0,
	/* By a stray of the thread that began it. */
	TOKEN_STRAY = 0x73747261,
	/* By no thread. */
	TOKEN_OPERATION = 0x6f706572,
};

static inline uint64_t hotpath__token(const struct hotpath_span *span, enum token kind)
{
	return (uint64_t)(uintptr_t)span ^ (uint64_t)kind << 32;
}

/*
 * A function at a place of the call tree: called by a certain other one, which was called by … With
 * HOTPATH_TREE=0 all are called by nobody.
 */
struct branch {
	struct hp_stat *stat;
	/* What is called from here has the key inner | id of its site; and inner of what it is called
	   from itself. */
	uint64_t inner;
	uint64_t outer;
	/* The offset of its node; 0 when it is not in the tree. */
	uint64_t node;
	uint64_t site;
	/* Calls in progress, but for the outermost of the function: those are nested ones. */
	uint64_t nested;
	/* The branch that it is called from. */
	struct branch *from;
	uint64_t unused;
};

static_assert(sizeof(struct branch) == 64, "a branch is a cache line");

/*
 * How a branch is found: by inner of whoever calls and the id of the site. And, in one step that need not
 * wait for the call before, by the id or the address of the function alone: that leads to the branch in
 * which it was last. The table is open, its load at most a quarter. A key of 0 is an empty slot; the first
 * is never empty, so that nobody finds there what has no id yet.
 */
struct slot {
	uint64_t key;
	struct branch *branch;
};

/*
 * An open call. Frames are kept here and not in the spans on the program's stack, because after a
 * longjmp those are gone: what is here can be read and repaired at any time.
 */
struct frame {
	/* When it began; once it ended, when that was. */
	uint64_t start;
	union {
		/* What began it: the span, or the place in the code. Of calls that are equally high, who
		   comes there again without having ended it has left it without a word. */
		uintptr_t from;
		/* For a stray of a signal handler: the frame that waits meanwhile. */
		struct frame *interrupted;
	};
	/* Time of the measured calls inside. */
	uint64_t children;
	/* Time of the profiler inside, in 1/256 ticks. */
	uint64_t lost;
	struct branch *branch;
	/* What ends it: the address of the span, or of the function. With KEY_SLOW the hot path leaves it
	   alone. 0 for a stray that there is not. */
	uintptr_t key;
	/* How far above the lowest address of the stack the function was that began it. A stray has its
	   stack pointer here: its stack is not known. */
	uintptr_t height;
	union {
		/* The branch's. */
		struct hp_stat *stat;
		/* For a stray: the one around it; NULL for none. */
		struct frame *around;
	};
};

/* Above all addresses: a value was logged, or the clock is not the counter; the stray is a function's; the
   call has a tally, because it allocated or a call inside did. The hot path leaves all of them alone. */
#define KEY_SLOW ((uintptr_t)1 << 63)
#define KEY_FUNCTION ((uintptr_t)1 << 62)
#define KEY_TALLIED ((uintptr_t)1 << 61)
/* Of a stray that somebody has taken: it is not open any more, and its place not free yet. */
#define KEY_TAKEN ((uintptr_t)1)

static_assert(sizeof(struct frame) == 64, "a frame is a cache line");

/*
 * A function that the compiler made say that it is being left.
 *
 * It may have been split: gcc inlines its beginning, with the word that it is entered, and calls or jumps to the rest,
 * name.part.0, which has the word that it is left.
 *
 *	                              by_jump     sp, compared with that of where it was entered
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
	/* It said so last of all: its own part of the stack is gone, and sp is its caller's. */
	bool by_jump;
};

/* What a thread needs to record. Reused, with its lane, by the threads that come after it. */
struct thread {
	/* READY; or, while the recorder changes something here or in the lane, its stack pointer: a signal
	   handler that finds that uses the second state. SHARED when this is no state, but stands for those of several
	   tasks. All of this is zero in a forked child: the kernel wipes it. */
	uintptr_t busy;
	/* The innermost open call; the first frame is none, as high as the stack, and collects what has no
	   parent. */
	struct frame *top;
	/* The frame whose call owns what is allocated; NULL when allocations must take a look. The stack
	   pointer of who began it, and the figures of its function. */
	struct frame *owner;
	uintptr_t owner_sp;
	struct hp_alloc *alloc;
	/* Past the last frame that the hot path may use: the first of all when it may not. */
	struct frame *limit;
	/* The lowest address of the thread's own stack. */
	uintptr_t stack_low;
	struct hp_lane *lane;
	/* Calls that began before are not counted. */
	uint64_t session_start;
	/* The same for the hot path, which never counts when it cannot read the clock. */
	uint64_t fast_since;
	/* What a call costs those around it, and itself, in 1/256 ticks; the second may be negative. */
	uint64_t span_cost;
	uint64_t inner_cost;
	/* NULL when nothing was allocated yet. */
	struct memory *memory;
	/* One for each frame: what is there when the frame's key says so. */
	struct tally *tallies;
	/* The branches that are known, 1 << (32 - shift) slots of them. */
	struct slot *slots;
	unsigned shift;
	unsigned slots_used;
	/* A table of the same size, to change places with; NULL until needed. */
	struct slot *other_slots;
	char *base;
	struct frame *frames;
	/* How many frames there are room for; the last one is not used. */
	size_t room;
	/* The session that the lane's figures belong to. */
	uint32_t session;
	/* How often code had been unloaded when the addresses among the keys were right. */
	uint32_t unloads;
	unsigned nodes;
	/* Unused ones of the last block of branches. */
	struct branch *branches;
	unsigned spare_branches;

	/* A lane's blocks are taken from chunks of its own, so that threads share no cache line. */
	uint64_t chunk;
	uint64_t chunk_left;
	/* The second state, for signal handlers that interrupt the recorder; NULL until needed. */
	struct thread *interrupt;
	struct thread *next;
	struct thread *next_free;
	/* The bounds of the stack are more than a guess. */
	bool bounds_known;
	/* Of a task that shares its thread-local variables with others. */
	bool is_task;
	/* Rounds of thread-exit destructors that have passed. */
	unsigned farewells;
	uint32_t tid;
	/* The oldest of the strays: the next to be replaced; and how many are of functions. */
	unsigned next_stray;
	unsigned function_strays;
	/* There was one since the thread began. */
	bool has_strays;
	/* The coroutine that it executes, 0 when that is not known; and where its stack is, as far as that is. */
	uint64_t fiber;
	uintptr_t fiber_low;
	uintptr_t fiber_high;
	/* The value that was logged last, and the frame it belongs to. */
	struct frame *logged_by;
	uint64_t value;
	uint32_t value_kind;
	char text[HP_TEXT_SIZE];
	/* And one of greater length, if such are kept; and which of the two it is. */
	char *long_text;
	char *logged_text;
	char name[HP_NAME_MAX];
	/* What is known of the lane's stacks; NULL when it was never sampled. */
	struct stacks *stacks;
	struct frame strays[STRAYS];
	/* The coroutine of each; 0 when that was not known. */
	uint64_t stray_fibers[STRAYS];
	struct tally stray_tallies[STRAYS];
	struct hp_stat **index[INDEX_PAGES];
	/* Called by nobody; and what is not to be measured. */
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

/* CPU sampling of the process; the lock is needed for what is not said to be read without it. */
struct sampling {
	/* Threads that begin are to be sampled. Read without the lock, as is the signal. */
	bool on;
	int signal;
	enum hp_cpu_source source;
	enum hp_cpu_end end;
	unsigned rate;
	/* Does not change while it is on. */
	uint64_t period_ns;
	/* CPU time of the process before it began, and in the kernel; and what of it was needed to load the program. */
	uint64_t before_ns;
	uint64_t before_system_ns;
	uint64_t loading_ns;
	/* Memcheck watches what we read of stacks. */
	bool is_watched;
	/* What the program believes to be done with the signal. */
	struct sigaction before;
	struct sampler *samplers;
	struct sampler *spare;
	unsigned count;
	/* What threads are to do that are about to begin. */
	struct hotpath__task *spare_tasks;
	/* Where code is, and how much of the table is in use; read without the lock. From when on addresses
	   that are nowhere in it may be looked up again. */
	struct hotpath__range *ranges;
	unsigned range_count;
	uint64_t lookups_after;
	/* What stacks take of the segment. */
	uint64_t stack_bytes;
};

/* The state of the recorder: one per process, all zero in a forked child. */
struct recorder {
	uint32_t lock;
	uint32_t state;
	/* The thread that holds the lock, known by the address of its hotpath__me; a task that shares that, by its number. */
	uintptr_t owner;
	/* The segment: where it is mapped, what of it is handed out, usable, mapped, and possible. */
	char *base;
	uint64_t used;
	uint64_t usable;
	uint64_t mapped;
	uint64_t capacity;
	/* The lock of its file lasts as long as the process. */
	bool lock_holds;
	/* How far the program is with starting or stopping. */
	uint32_t control;
	/* Started by the program itself, which therefore prints the report. */
	bool own_report;
	/* The exit status will be known before the report is printed. */
	bool watched;
	struct thread *threads;
	struct thread *free_threads;
	unsigned thread_count;
	/* Unused thread states of the last block of them. */
	struct thread *spare;
	unsigned spares;
	/* Private memory for index pages. */
	/* What was mapped for the recorder. */
	struct hotpath__region *regions;
	char *pool;
	size_t pool_left;
	/* First site of each hash, in the segment's site table. */
	uint32_t *buckets;
	/* The files that code was found in; how often unloading any began or ended, and how often it has
	   begun and not ended. */
	struct module *modules;
	struct module *spare_modules;
	uint32_t unloads;
	uint32_t unloading;
	/* Every block, by heap: leaves by address; and origins, by number and by hash. */
	void ***cells;
	struct cell_leaf *cell_leaves;
	void ***blocks[HEAPS];
	struct hp_origin **origins[ORIGIN_PAGES];
	uint32_t *origin_buckets;
	/* Records what threads allocate and free after their end. */
	struct thread *orphan;
	struct sampling sampling;
	/* Tasks that share their thread-local variables. */
	struct hotpath__group *groups;
	/* What is shared of a site, by its id; and queues, by their number from 1 on. Read without the lock. */
	struct hp_shared **shares[INDEX_PAGES];
	struct hp_queue **queues[QUEUE_PAGES];
	/* Of the queues that are free, the first, by how many stamps they have. And what stamps take of the
	   segment. */
	uint32_t free_queues[STAMP_SIZES];
	uint64_t stamp_bytes;
	/* Rows of single instances. */
	unsigned entries;
	/* What the program wants called before recording ends; NULL when it was. */
	void (*before_stop)(void);
	/* Sites of what probes found; the lock is needed to add one. */
	struct found_site *found_sites;
	/* Raised with each stop and each start after the first: odd while stopped. When that began. */
	uint32_t session;
	uint64_t session_start;
	uint64_t span_cost;
	uint64_t inner_cost;
	/* The caller: its thread, its stat there, NULL when it is not open, and which of the threads that had this state
	   it is; when it began, and what its thread had measured by then. */
	struct thread *caller_thread;
	struct hp_stat *caller_stat;
	uint32_t caller_generation;
	/* NULL when it is not in the call tree. */
	struct branch *caller_branch;
	/* Where on the stack its function is; 0 when that is not known. */
	uintptr_t caller_place;
	uint64_t caller_start;
	uint64_t caller_children;
	uint64_t caller_lost;
	uint64_t caller_blocks;
	uint64_t caller_freed;
	/* The segment's file, and which it is; "" when it is in private memory. */
	char path[HP_PATH_MAX];
	uint64_t device;
	uint64_t inode;
	/* For whoever holds the lock: the stack may be a small one. */
	char scratch[HP_PATH_MAX];
	const struct hotpath__recorder_ops *other;
};

/* The environment wins over the program. */
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
	/* Whether, how often a second, and by what the CPU is sampled. */
	enum cpu_wish cpu;
	unsigned cpu_rate;
	enum hp_cpu_source cpu_source;
	unsigned logs_limit;
	/* Bytes of a logged text; 0 for as many as there is room for anyway. */
	unsigned max_log_len;
	/* The environment has pairs for the report. */
	bool has_metadata;
	unsigned entries_limit;
	unsigned shutdown_ms;
	char run[HP_RUN_MAX];
};

#endif
