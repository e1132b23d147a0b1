/* SPDX-License-Identifier: MIT */
/*
 * What the files of the recorder know of each other.
 *
 * The recorder runs inside the measured program, on any thread, in signal handlers, before main and
 * after it. So it allocates with mmap alone, calls nothing of libc that takes a lock, and holds its own
 * lock with signals blocked, where no handler can meet it held by the same thread.
 */
#ifndef HOTPATH_RECORDER_H
#define HOTPATH_RECORDER_H

#include "hotpath/abi.h"

#include "atomic.h"
#include "place.h"
#include "segment.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

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
	/* No stack pointer. */
	READY = 1,
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
 * An open call. Frames are kept here and not in the spans on the program's stack, because after a
 * longjmp those are gone: what is here can be read and repaired at any time.
 */
struct frame {
	uint64_t start;
	union {
		/* The span again; NULL once a value was logged, so that the hot path leaves it alone. */
		struct hotpath_span *plain;
		/* For a stray of a signal handler: the frame that waits meanwhile. */
		struct frame *interrupted;
	};
	/* Time of the measured calls inside. */
	uint64_t children;
	/* Time of the profiler inside, in 1/256 ticks. */
	uint64_t lost;
	struct hp_stat *stat;
	struct hotpath_span *span;
	/* How far above the lowest address of the stack the function was that began it. A stray has its
	   stack pointer here: its stack is not known. */
	uintptr_t height;
	union {
		/* When the latest call inside ended. */
		uint64_t latest;
		/* For a stray: the one around it; NULL for none. */
		struct frame *around;
	};
};

static_assert(sizeof(struct frame) == 64, "a frame is a cache line");

/* What a thread needs to record. Reused, with its lane, by the threads that come after it. */
struct thread {
	/* READY; or, while the recorder changes something here or in the lane, its stack pointer: a signal
	   handler that finds that uses the second state. All of this is zero in a forked child: the
	   kernel wipes it. */
	uintptr_t busy;
	/* The innermost open call; the first frame is none, as high as the stack, and collects what has no
	   parent. */
	struct frame *top;
	/* Past the last frame that the hot path may use: the first of all when it may not. */
	struct frame *limit;
	/* The lowest address of the thread's own stack. */
	uintptr_t stack_low;
	/* Calls that began before are not counted. */
	uint64_t session_start;
	/* The same for the hot path, which never counts when it cannot read the clock. */
	uint64_t fast_since;
	uint64_t span_cost;
	uint64_t inner_cost;
	char *base;
	struct hp_lane *lane;
	struct frame *frames;
	/* How many frames there are room for. */
	size_t room;
	/* The session that the lane's figures belong to. */
	uint32_t session;

	/* A lane's blocks are taken from chunks of its own, so that threads share no cache line. */
	uint64_t chunk;
	uint64_t chunk_left;
	/* The second state, for signal handlers that interrupt the recorder; NULL until needed. */
	struct thread *interrupt;
	struct thread *next;
	struct thread *next_free;
	/* The bounds of the stack are more than a guess. */
	bool bounds_known;
	/* Rounds of thread-exit destructors that have passed. */
	unsigned farewells;
	uint32_t tid;
	/* The oldest of the strays: the next to be replaced. */
	unsigned next_stray;
	/* The value that was logged last, and the frame it belongs to. */
	struct frame *logged_by;
	uint64_t value;
	uint32_t value_kind;
	char text[HP_TEXT_SIZE];
	char name[HP_NAME_MAX];
	struct frame strays[STRAYS];
	struct hp_stat **index[INDEX_PAGES];
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

/* The state of the recorder: one per process, all zero in a forked child. */
struct recorder {
	uint32_t lock;
	uint32_t state;
	/* The thread that holds the lock, known by the address of its hotpath__me. */
	struct thread **owner;
	/* The segment: where it is mapped, what of it is handed out, usable, and possible. */
	char *base;
	uint64_t used;
	uint64_t usable;
	uint64_t capacity;
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
	char *pool;
	size_t pool_left;
	/* First site of each hash, in the segment's site table. */
	uint32_t *buckets;
	/* Raised with each stop and each start after the first: odd while stopped. When that began. */
	uint32_t session;
	uint64_t session_start;
	uint64_t span_cost;
	uint64_t inner_cost;
	/* The caller: its thread and site, when it began, and what its thread had measured by then. */
	struct thread *caller_thread;
	uint32_t caller_site;
	uint64_t caller_start;
	uint64_t caller_children;
	uint64_t caller_lost;
	/* The segment's file, and which it is; "" when it is in private memory. */
	char path[HP_PATH_MAX];
	uint64_t device;
	uint64_t inode;
	/* For whoever holds the lock: the stack may be a small one. */
	char scratch[HP_PATH_MAX];
	const struct hotpath__recorder_ops *other;
};

/* What the environment asks for, read once. */
struct settings {
	bool off;
	bool monotonic;
	unsigned logs_limit;
	unsigned shutdown_ms;
	char run[HP_RUN_MAX];
};

#pragma GCC visibility push(hidden)

/* This thread's state; NULL before its first measured call. */
extern __thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));
/* NULL before the first use. */
extern struct recorder *hotpath__recorder;

/* ---- clock ---- */

extern bool hotpath__monotonic;

uint64_t hotpath__monotonic_ns(void);

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

/* The clock that was chosen. */
static inline uint64_t hotpath__ticks(void)
{
	return unlikely(hotpath__monotonic) ? hotpath__monotonic_ns() : hotpath__counter();
}

/* Choose the clock; fill the header's clock fields. */
void hotpath__clock_init(struct hp_header *header, bool monotonic);
/* Read both clocks together. */
struct hp_moment hotpath__clock_moment(void);
/* Write a moment down for readers. */
static inline void hotpath__set_moment(struct hp_moment *moment, struct hp_moment now)
{
	store(&moment->ticks, now.ticks, RELAXED);
	store(&moment->monotonic_ns, now.monotonic_ns, RELAXED);
}
/* Improve the header's rate now that more time has passed. */
void hotpath__clock_update(struct hp_header *header);

/* ---- record: the slow halves of the hot path are in stack ---- */

/* On a thread that has recorded nothing yet; quick when nothing is recorded at all. */
void hotpath__begin_unknown(struct hotpath_span *span, struct hotpath_site *site);
void hotpath__end_unknown(struct hotpath_span *span);
void hotpath__begin_slow(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_slow(struct hotpath_span *span, uint64_t now, uintptr_t sp);

/* The program's signal handlers see the mark before, and until after, what is done in between. */
static inline void hotpath__enter_busy(struct thread *me, uintptr_t sp)
{
	store(&me->busy, sp, RELAXED);
	signal_fence();
}

static inline void hotpath__leave_busy(struct thread *me)
{
	signal_fence();
	store(&me->busy, READY, RELAXED);
}

/* a - b, or 0. Without a branch: for short calls it would be a guess each time. */
static inline uint64_t hotpath__less(uint64_t a, uint64_t b)
{
	uint64_t rest = a > b ? a - b : 0;

	__asm__("" : "+r"(rest));
	return rest;
}

/* ---- stack ---- */

/* The state to record with, from a slow path that runs at this stack pointer; NULL when not recording. */
struct thread *hotpath__enter(uintptr_t sp);
/* The innermost open call of code that runs at this stack pointer; the first frame when there is none. */
struct frame *hotpath__innermost(struct thread *me, uintptr_t sp);
/* Whether this is a signal handler on a stack of its own. */
bool hotpath__on_signal_stack(void);
/* End every open call of a thread as abandoned. */
void hotpath__abandon_all(struct thread *me);
/* How long a call took, less the profiler's own time in it. */
uint64_t hotpath__duration(struct thread *me, uint64_t start, uint64_t now, uint64_t lost);

/* Whether code that runs at this stack pointer is on the thread's own stack. */
static inline bool hotpath__own_stack(const struct thread *me, uintptr_t sp)
{
	return sp - me->stack_low <= me->frames[0].height;
}

/* ---- bounds ---- */

/* Where this thread's stack lies. */
void hotpath__find_stack(struct thread *me);
/* A call comes from below it: look again, once. The thread is busy. */
void hotpath__extend_stack(struct thread *me);

/* ---- stray: the thread is busy in all of these ---- */

void hotpath__stray_begin(struct thread *me, struct hp_stat *stat, struct hotpath_span *span,
			  uintptr_t sp);
void hotpath__stray_end(struct thread *me, struct hotpath_span *span, uint64_t now);
/* The innermost one of code that runs at this stack pointer; NULL when there is none. */
struct frame *hotpath__stray_around(struct thread *me, uintptr_t sp);

/* ---- operation ---- */

/* Count a call from what its span holds: it has no frame on this thread. The thread is busy. */
void hotpath__end_alone(struct thread *me, const struct hotpath_span *span, uint64_t now);

/* ---- flush ---- */

/* A call that ended. */
struct call {
	uint64_t end;
	uint64_t duration;
	uint64_t self;
	bool nested;
};

/* Count a call; what it logged is in the thread, when its frame is the one that logged. Busy. */
void hotpath__count_call(struct thread *me, struct hp_stat *stat, struct call call,
			 const struct frame *frame);
/* Add the calls that wait in the ring to the stat's figures and histogram; the thread is busy. */
void hotpath__flush(struct thread *me, struct hp_stat *stat);
/* And then the thread is no longer busy: for the hot path, which ends with this call. */
void hotpath__flush_and_leave(struct thread *me, struct hp_stat *stat);

/* The state to record with, from a slow path that runs at this stack pointer; NULL when not recording. */
struct thread *hotpath__enter(uintptr_t sp);
/* Whether this is a signal handler on a stack of its own. */
bool hotpath__on_signal_stack(void);
/* End every open call of a thread as abandoned. */
void hotpath__abandon_all(struct thread *me);

/* ---- thread ---- */

/* Give this thread a state and a lane. The lock is held. NULL when there is no room. */
struct thread *hotpath__attach(void);
/* A second state for signal handlers that interrupt the recorder; the lock is held. */
struct thread *hotpath__attach_interrupt(struct thread *me);
/* The stat of a site in a thread's lane, made when it is missing; NULL when there is no room. */
struct hp_stat *hotpath__stat(struct thread *me, uint32_t site);
/* The counters of an octave, made when they are missing; NULL when there is no room. */
uint32_t *hotpath__octave(struct thread *me, struct hp_stat *stat, unsigned octave);
/* Blocks of a stat, made when they are missing; NULL when there is no room. */
uint32_t *hotpath__carries(struct thread *me, struct hp_stat *stat);
uint64_t *hotpath__values(struct thread *me, struct hp_stat *stat);
char *hotpath__texts(struct thread *me, struct hp_stat *stat);
/* From when on a thread's calls count. */
void hotpath__thread_session(struct thread *me, uint64_t start);
/* Begin the figures of a thread's lane at zero, for a session. */
void hotpath__thread_renew(struct thread *me, uint32_t session);
void hotpath__thread_key_init(void);

/* ---- site ---- */

/* The id of a site, registered when it is new; 0 when there is no room. */
uint32_t hotpath__site_id(struct hotpath_site *site);
/* The same with the lock held. */
uint32_t hotpath__site_register(const struct hotpath_site *site);
/* Give a forked child the sites of its parent under the same ids; the lock is held. */
bool hotpath__sites_copy(const char *parent);

/* ---- writer ---- */

/* Make the segment and its header; the lock is held. False when there is no memory at all. */
bool hotpath__segment_create(const struct settings *settings);
/* Take room in the segment, 64-byte aligned and zero; the lock is held. 0 when there is none. */
uint64_t hotpath__segment_take(uint64_t size);
uint64_t hotpath__segment_string(const char *string);
/* The program ended well: give back what was not used. */
void hotpath__segment_finish(void);
/* Memory of the recorder's own, zero; the lock is held. NULL when there is none. */
void *hotpath__private(size_t size);
/* Memory that is zero in a forked child, unless the kernel is too old for that. */
void *hotpath__map_wiped(size_t size);
extern bool hotpath__forks_unwiped;

static inline bool hotpath__is_stopped(uint32_t session)
{
	return session & 1;
}

/* As in the segment, where only starts count. */
static inline uint32_t hotpath__session_number(uint32_t session)
{
	return session / 2;
}

static inline struct hp_header *hotpath__header(void)
{
	return (struct hp_header *)hotpath__recorder->base;
}

/* ---- lifecycle ---- */

/* The state, after finding out what was asked for; and after beginning to record if that was. */
uint32_t hotpath__state(void);
uint32_t hotpath__ready(void);
/* Begin to record, whoever asked; returns the state. */
uint32_t hotpath__begin_recording(struct recorder *recorder);
/* Whether forked children record too. */
void hotpath__children_record(bool record);
/* Learn the exit status before the report is printed. */
void hotpath__watch_exit(void);
/* End the program after so long; 0 does nothing. */
void hotpath__plan_shutdown(unsigned milliseconds);
/* Count a fault where there may be no lane. */
void hotpath__count(enum hp_counter counter);

/* ---- calibrate ---- */

/* Find out what a measured call costs, so that it can be taken off. */
void hotpath__calibrate(struct recorder *recorder);

/* ---- options ---- */

const struct settings *hotpath__settings(void);

/* ---- handover ---- */

/* Whether this is the shared library: that one never hands over. */
extern const bool hotpath__is_shared;

/* The entry points of a recorder, for another one in the same process. */
struct hotpath__recorder_ops {
	size_t size;
	void (*span_begin)(struct hotpath_span *span, struct hotpath_site *site);
	void (*span_end)(struct hotpath_span *span);
	void (*operation_begin)(struct hotpath_span *span, struct hotpath_site *site);
	void (*operation_end)(struct hotpath_span *span);
	void (*main_begin)(struct hotpath_span *span, struct hotpath_site *site);
	void (*main_end)(struct hotpath_span *span);
	void (*log_value)(uint32_t kind, uint64_t value, const char *text);
	void (*thread_name)(const char *name);
	int (*start)(const struct hotpath_options *options);
	int (*stop)(void);
};

/* Another recorder in this process that was there first; NULL when there is none. */
const struct hotpath__recorder_ops *hotpath__other_recorder(void);

/* ---- log ---- */

void hotpath__log_value(uint32_t kind, uint64_t value, const char *text);

/* ---- platform ---- */

/* What whoever holds the lock gives back with it. */
struct guard {
	sigset_t signals;
	int cancel_state;
	/* errno is the program's. */
	int error;
	/* The thread held it already. */
	bool again;
};

/*
 * Take the recorder's lock; a thread may take it again. Until it is given back, no signal and no
 * cancellation comes between.
 */
void hotpath__lock(struct guard *guard);
void hotpath__unlock(const struct guard *guard);
uint32_t hotpath__tid(void);
/* Writing may raise SIGPIPE or SIGXFSZ, which are not the program's doing: take them off again. */
struct hush {
	sigset_t before;
	bool pending;
};

void hotpath__hush(struct hush *hush);
void hotpath__unhush(const struct hush *hush);
/* Remember what standard output and error are; and whether one of them is still such a stream. */
void hotpath__note_streams(void);
bool hotpath__is_stream(int fd);
/* One line on standard error: "hotpath: " and the pieces; ends with a NULL. */
void hotpath__warn(const char *piece, ...) __attribute__((sentinel));

/* ---- the report, which is on the other side of the fence ---- */

/* Print the report of a segment in memory, as the options and the environment say. */
void hotpath__self_report(const void *segment, size_t size, const struct hotpath_options *options);

#pragma GCC visibility pop

static inline uintptr_t hotpath__stack_pointer(void)
{
#if defined(__aarch64__)
	uintptr_t sp;
	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
#elif defined(__x86_64__)
	uintptr_t sp;
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
	return sp;
#else
	return (uintptr_t)__builtin_frame_address(0);
#endif
}

#endif
