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

#include "filter.h"
#include "heap.h"
#include "state.h"

#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* This thread's state; NULL before its first measured call. */
extern __thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));
/* This thread has said goodbye. */
extern __thread bool hotpath__gone __attribute__((tls_model("initial-exec")));
/* NULL before the first use. */
extern struct recorder *hotpath__recorder;

/* ---- tasks ---- */

/* This task's state, of several who find the same shared one; NULL before its first measured call. */
struct thread *hotpath__task_state(struct thread *shared);

/* The state of whoever asks; the hot path need not ask for it, since one that is shared is never ready. */
static inline struct thread *hotpath__own_state(void)
{
	struct thread *me = hotpath__me;

	return likely(!me || me->busy != SHARED) ? me : hotpath__task_state(me);
}

/* Whether a state is that of whoever asks, and not its second one. */
static inline bool hotpath__is_first(const struct thread *me)
{
	return me == hotpath__me || me->is_task;
}

/* A task is about to begin that has the thread-local variables of this one. */
void hotpath__share_state(void);
/* A task has a state from now on, or no more. The lock is held. False when there are too many. */
bool hotpath__task_begins(struct thread *shared, struct thread *me);
void hotpath__task_ends(struct thread *me);
bool hotpath__task_is_gone(const struct thread *me);

/* ---- clock ---- */

extern bool hotpath__monotonic;

uint64_t hotpath__monotonic_ns(void);

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

/* The part of the code that the hot path is in, by a name from which the linker makes names of its bounds. */
#define HOT_SECTION "hotpath_text"
extern const char __start_hotpath_text[], __stop_hotpath_text[];

/* ---- record: the slow halves of the hot path are in slow ---- */

/* What the entry points become, with the stack pointer of their caller and where it goes on. */
void hotpath__span_begin(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__function_enter(uintptr_t function, void *caller, uintptr_t sp, uintptr_t from);
void hotpath__function_exit(uintptr_t function, uintptr_t caller, uintptr_t sp, uintptr_t from);

/* On a thread that has recorded nothing yet; quick when nothing is recorded at all. */
void hotpath__begin_unknown(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_unknown(struct hotpath_span *span);
void hotpath__enter_unknown(uintptr_t function, uintptr_t sp, uintptr_t from);
void hotpath__exit_unknown(struct leaving leaving);
void hotpath__begin_slow(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_slow(struct hotpath_span *span, uint64_t now, uintptr_t sp);
void hotpath__enter_slow(uintptr_t function, uintptr_t sp, uintptr_t from);
void hotpath__exit_slow(struct leaving leaving, uint64_t now);

/* Among the calls that were inlined into one function, and so are equally high, is this one again? */
static inline bool hotpath__is_again(const struct thread *me, uintptr_t from, uintptr_t height)
{
	const struct frame *frame = me->top;

	for (; frame->height == height && frame > me->frames; frame--)
		if (frame->from == from)
			return true;
	return false;
}

/*
 * Whether a call that begins here is in order: on the thread's own stack, below the innermost open call,
 * which is therefore still being executed; or as high, and another one.
 */
static inline bool hotpath__in_order(const struct thread *me, uintptr_t from, uintptr_t height)
{
	if (likely(height < me->top->height))
		return true;
	return height == me->top->height && !hotpath__is_again(me, from, height);
}

/*
 * Whether a frame of a function is the one that is being left at this height, and no inner call of it. A function that
 * is split may be left as high as it was entered, though by a jump.
 */
static inline bool hotpath__is_left(const struct frame *frame, struct leaving leaving,
				    uintptr_t height)
{
	if (leaving.by_jump)
		return frame->height <= height && height <= (frame - 1)->height;
	return height <= frame->height;
}

/*
 * How far from where a function was entered, by its stack pointer, it is being left. On the wrong side it is further
 * than any function reaches, but less so where a function may be left that is split; else huge.
 */
static inline uintptr_t hotpath__distance(uintptr_t entered, struct leaving leaving)
{
	uintptr_t right = leaving.by_jump ? leaving.sp - 1 - entered : entered - leaving.sp;
	uintptr_t wrong = -right;

	if (right < REACH_MAX)
		return right;
	return wrong <= (leaving.by_jump ? 1 : REACH_MAX) ? REACH_MAX + wrong : UINTPTR_MAX;
}

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

/* Ticks of so many 1/256 ticks, which may be negative: of a clock that is read before the work is done, less is seen than
   that takes. */
static inline uint64_t hotpath__ticks_of(uint64_t parts)
{
	return (uint64_t)((int64_t)parts >> 8);
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
/* The state in which a call may have begun that ends at this stack pointer; NULL when in none. */
struct thread *hotpath__ending_state(uintptr_t sp);
/* Whether there is room for one more frame, which may have to be made. The thread is busy in the rest. */
bool hotpath__has_room(struct thread *me);
/* The frame of a span, or of a function that is being left; NULL when it has none. */
struct frame *hotpath__find_frame(struct thread *me, const struct hotpath_span *span);
struct frame *hotpath__find_left(struct thread *me, struct leaving leaving);
/* End a frame and, as abandoned, all that is above it. */
void hotpath__end_frame(struct thread *me, const struct frame *frame, uint64_t now);
/* End the innermost open call, or every one, as abandoned. */
void hotpath__abandon_top(struct thread *me);
void hotpath__abandon_all(struct thread *me);
/* How long a call took, less the profiler's own time in it. */
uint64_t hotpath__duration(struct thread *me, uint64_t start, uint64_t now, uint64_t lost);

/* Whether code that runs at this stack pointer is on the thread's own stack. */
static inline bool hotpath__own_stack(const struct thread *me, uintptr_t sp)
{
	return sp - me->stack_low <= me->frames[0].height;
}

/* ---- branch ---- */

static inline struct hp_node *hotpath__node(const struct thread *me, uint64_t node)
{
	return (struct hp_node *)(void *)(me->base + node);
}

static inline uint32_t hotpath__hash(const struct thread *me, uint64_t key)
{
	return (uint32_t)(key ^ key >> 44) * UINT32_C(0x9e3779b1) >> me->shift;
}

/* The slot with a key, or the empty one where it would be. */
static inline struct slot *hotpath__slot(const struct thread *me, uint64_t key)
{
	uint32_t at = hotpath__hash(me, key);

	while (me->slots[at].key != key && me->slots[at].key)
		at = (at + 1) & (UINT32_MAX >> me->shift);
	return &me->slots[at];
}

/*
 * The branch of a function that is called now, known by the id of its site or its address; NULL when it is
 * not known yet. For most calls it is found at once: where it was the last time, or the same again.
 */
static inline struct branch *hotpath__find_at_once(const struct thread *me, uint64_t what)
{
	const struct branch *from = me->top->branch;
	struct slot *slot = &me->slots[hotpath__hash(me, what)];
	struct branch *last = slot->branch;

	if (unlikely(slot->key != what))
		return NULL;
	if (likely(last->outer == from->inner || last == from))
		return last;
	uint64_t key = from->inner | last->site;
	const struct slot *other = &me->slots[hotpath__hash(me, key)];
	if (unlikely(last == &me->skipped || other->key != key))
		return NULL;
	slot->branch = other->branch;
	return other->branch;
}

static inline struct branch *hotpath__find_branch(const struct thread *me, uint64_t what)
{
	const struct branch *from = me->top->branch;
	struct slot *slot = what ? hotpath__slot(me, what) : NULL;
	struct branch *last = slot ? slot->branch : NULL;

	if (!last || last == &me->skipped)
		return NULL;
	if (last->outer == from->inner || last == from)
		return last;
	struct branch *other = hotpath__slot(me, from->inner | last->site)->branch;
	if (likely(other))
		slot->branch = other;
	return other;
}

/* A call begins inside another one of its function, which is the outermost when this is the second. */
static inline void hotpath__nest(const struct thread *me, const struct frame *around,
				 struct branch *branch, uint32_t depth)
{
	branch->nested++;
	if (depth > 2)
		return;
	while (around->stat != branch->stat && around > me->frames)
		around--;
	store(&branch->stat->open_node, around->branch->node, RELAXED);
}

/* A frame has been filled that is yet to become the top: its call is the so-manieth open one. */
static inline void hotpath__opened(const struct thread *me, const struct frame *frame,
				   uint32_t depth)
{
	if (likely(depth == 1))
		store(&frame->stat->open_since, frame->start, RELAXED);
	else
		hotpath__nest(me, frame - 1, frame->branch, depth);
}

/* Such an inner call has ended: what is kept with its duration. */
static inline uint64_t hotpath__nested_flags(struct branch *branch)
{
	bool again = branch->nested > 1 || branch->stat->open_node == branch->node;

	branch->nested--;
	return again ? HP_CALL_NESTED | HP_CALL_SAME_NODE : HP_CALL_NESTED;
}

/* Whether a function is not to be measured. */
static inline bool hotpath__is_skipped(const struct thread *me, uintptr_t function)
{
	return hotpath__slot(me, function)->branch == &me->skipped;
}

/* The branch of a site when called from another one, made when it is missing; NULL when there is no room. */
struct branch *hotpath__branch(struct thread *me, struct branch *from, uint32_t site);
/* From now on a function is found by its address; NULL: it is not to be measured. */
void hotpath__know_address(struct thread *me, uintptr_t function, struct branch *branch);
/* Forget the addresses of functions; the lock is held. */
void hotpath__forget_addresses(struct thread *me);
/* No nested calls are in progress. */
void hotpath__forget_nested(struct thread *me);
/* The node and the slots that a new thread state begins with. */
void hotpath__branch_init(struct thread *me);
/* Begin the nodes of a lane at zero. */
void hotpath__zero_nodes(struct thread *me);

/* ---- module ---- */

/* Of a function that `hotpath cc` was told not to measure. */
#define SITE_SKIPPED UINT32_MAX

/* The site of a function, registered when it is new; 0 when there is no room. */
uint32_t hotpath__function_site(uintptr_t function);
/* The site of a call that returns to an address; 0 when there is no room. */
uint32_t hotpath__call_site(uintptr_t from);
/* Look at all code that is there, as long as the kernel's list of it can be read; the lock is held. */
void hotpath__learn_modules(void);
/* A module of the parent's segment, for a forked child; the lock is held. 0 when there is none. */
uint64_t hotpath__module_copy(const char *parent, uint64_t at);
/* Code in memory, and the module it is of. */
struct code {
	uintptr_t start;
	uintptr_t end;
	/* How far it is from the addresses in its file, and the id of that; 0 when it is of none. */
	uintptr_t bias;
	uint32_t module;
	bool readable;
	/* Of a library of ours. */
	bool ours;
	uint64_t device;
	uint64_t inode;
};

/* The code around an address; false when there is none, or it is being unloaded. The lock is held. */
bool hotpath__find_code(uintptr_t address, struct code *code);
/* Code is being unloaded: its addresses may be another's soon. */
void hotpath__unload_begins(void);
void hotpath__unload_ends(void);

/* ---- maps: the lock is held ---- */

struct maps {
	int fd;
	char *text;
	size_t size;
	size_t at;
};

struct mapping {
	uintptr_t start;
	uintptr_t end;
	bool readable;
	bool executable;
	/* In the file, which is known by the next two; the inode is 0 when there is none. */
	uint64_t offset;
	uint64_t device;
	uint64_t inode;
	char path[HP_PATH_MAX];
};

void hotpath__maps_open(struct maps *maps);
bool hotpath__maps_next(struct maps *maps, struct mapping *mapping);
void hotpath__maps_close(const struct maps *maps);

/* Past the last frame that may be used: the one after it can still be looked at. */
static inline struct frame *hotpath__last_frame(const struct thread *me)
{
	return me->frames + me->room - 1;
}

/* ---- bounds ---- */

/* Where this thread's stack lies, by what it executes: a look at it does so on another one. */
void hotpath__find_stack(struct thread *me, uintptr_t sp);
/* A call comes from below it: look again, once. The thread is busy. */
void hotpath__extend_stack(struct thread *me);

/* ---- stray: the thread is busy in all of these ---- */

/* For a function, span is NULL. */
void hotpath__stray_begin(struct thread *me, uint32_t site, uintptr_t key,
			  struct hotpath_span *span, uintptr_t sp);
void hotpath__stray_end(struct thread *me, struct hotpath_span *span, uint64_t now);
/* End the stray of a function that is being left, when there is one closer than reach. */
bool hotpath__stray_exit(struct thread *me, struct leaving leaving, uint64_t now, uintptr_t reach);
/* The innermost one of code that runs at this stack pointer; NULL when there is none. */
struct frame *hotpath__stray_around(struct thread *me, uintptr_t sp);

/* ---- fiber ---- */

/* This thread goes on with a coroutine whose stack is here, if that is known. */
void hotpath__fiber(uint64_t id, uintptr_t low, uintptr_t high);

/* The coroutine that code at this stack pointer is of; 0 when that is not known. */
static inline uint64_t hotpath__fiber_at(const struct thread *me, uintptr_t sp)
{
	return me->fiber && sp - me->fiber_low <= me->fiber_high - me->fiber_low ? me->fiber : 0;
}

/* ---- operation ---- */

/* Count a call from what its span holds: it has no frame on this thread. The thread is busy. */
void hotpath__end_alone(struct thread *me, const struct hotpath_span *span, uint64_t now);

/* ---- flush ---- */

/* A call that ended. */
struct call {
	uint64_t end;
	uint64_t duration;
	uint64_t self;
	/* HP_CALL_NESTED and HP_CALL_SAME_NODE. */
	uint64_t flags;
};

/* Count a call; what it logged is in the thread, when its frame is the one that logged. Busy. */
void hotpath__count_call(struct thread *me, const struct branch *branch, struct call call,
			 const struct frame *frame);
/* Add the calls that wait in the ring to the stat's figures and histogram; the thread is busy. */
void hotpath__flush(struct thread *me, struct hp_stat *stat);
/* And then the thread is no longer busy: for the hot path, which ends with this call. */
void hotpath__flush_and_leave(struct thread *me, struct hp_stat *stat);

/* ---- thread ---- */

/* Give this thread a state and a lane. The lock is held. NULL when there is no room. */
struct thread *hotpath__attach(uintptr_t sp);
/* Whoever had this state has ended without a word; the lock is held. */
void hotpath__thread_is_gone(struct thread *me);
/* A second state for signal handlers that interrupt the recorder; the lock is held. */
struct thread *hotpath__attach_interrupt(struct thread *me);
/* A state for what threads do after their end; the lock is held. */
struct thread *hotpath__attach_orphan(void);
/* The stat of a site in a thread's lane, made when it is missing; NULL when there is no room. */
struct hp_stat *hotpath__stat(struct thread *me, uint32_t site);
/* The counters of an octave, made when they are missing; NULL when there is no room. */
uint32_t *hotpath__octave(struct thread *me, uint32_t *offset);
/* Blocks of a stat, made when they are missing; NULL when there is no room. */
uint32_t *hotpath__carries(struct thread *me, struct hp_stat *stat);
uint64_t *hotpath__values(struct thread *me, struct hp_stat *stat);
char *hotpath__texts(struct thread *me, struct hp_stat *stat);
char *hotpath__long_texts(struct thread *me, struct hp_stat *stat);
/* Begin the counters of a block at zero. */
void hotpath__zero_counters(char *base, uint64_t at, unsigned count);
/* Room in the segment for one thread; 0 when there is none. */
uint64_t hotpath__lane_take(struct thread *me, uint64_t size);
/* The hot paths of all threads are forbidden: their next calls take a look at what is new. */
void hotpath__close_hot_paths(const struct recorder *recorder);
/* From when on a thread's calls count. */
void hotpath__thread_session(struct thread *me, uint64_t start);
/* Begin the figures of a thread's lane at zero, for a session. */
void hotpath__thread_renew(struct thread *me, uint32_t session);
/* Forget what unloading code has made untrue. */
void hotpath__thread_unloads(struct thread *me);
/* Call the thread of a lane so. */
void hotpath__lane_name(struct hp_lane *lane, const char *name);
void hotpath__thread_key_init(void);

/* ---- ended ---- */

/* The lock is held in all but the last. This thread ends; or another has, without a word. */
void hotpath__thread_retires(struct thread *me);
void hotpath__thread_vanished(struct thread *thread);
/* The process ends, or stops recording: write down the times of all threads, and their names of today. */
void hotpath__note_threads(void);
/* A session begins: no thread has ended in it. */
void hotpath__forget_ended(void);
/* The same for the lane of a thread, by itself; with all that was freed. */
void hotpath__zero_ended(struct thread *me);

/* ---- site ---- */

/* The id of a site, registered when it is new; 0 when there is no room. */
uint32_t hotpath__site_id(struct hotpath_site *site);
/* The same with the lock held. */
uint32_t hotpath__site_register(const struct hotpath_site *site);
/* The id of a site that is known, or 0; without the lock. */
uint32_t hotpath__site_find(const struct hotpath_site *site);
/* The site of what lies in a module, at an address as in its file; with a name, or NULL. The lock is held. */
uint32_t hotpath__site_of_address(enum hp_site_kind kind, const char *name, uint64_t module,
				  uint64_t offset);
/* The site of what is known by a name and an address in the program; the lock is held. 0 as always. */
uint32_t hotpath__site_of_code(enum hp_site_kind kind, const char *name, uintptr_t code);
/* The site of the polls of a future's; the lock is held. 0 when it is of no future. */
uint32_t hotpath__poll_site(uint32_t future);
/* A named site began in the stack frame of a call that is known by its address. */
void hotpath__site_twin(uint32_t id, uint32_t twin);
/* Give a forked child the sites of its parent under the same ids; the lock is held. */
bool hotpath__sites_copy(const char *parent);

/* ---- program ---- */

/* Remember the command line as it is now, when the program begins. */
void hotpath__note_program(void);
/* Write down what the process is; the lock is held. */
void hotpath__describe_program(struct hp_header *header);
/* Write down what it calls itself by now; the lock is held. */
void hotpath__note_title(struct hp_header *header);

/* ---- writer ---- */

/* Make the segment and its header; the lock is held. False when there is no memory at all. */
bool hotpath__segment_create(const struct settings *settings);
/* Take room in the segment, 64-byte aligned and zero; the lock is held. 0 when there is none. */
uint64_t hotpath__segment_take(uint64_t size);
uint64_t hotpath__segment_string(const char *string);
/* Have so much room in advance, and so much memory of our own, if there is any: soon none may be had. The lock is held. */
void hotpath__segment_prepare(uint64_t size);
void hotpath__private_prepare(size_t size);
/* A folder of this user's that nobody else can write to, made when it is missing; -1 with errno otherwise. */
int hotpath__open_folder(const char *folder);
/* The beginning of a file as text, with a NUL at its end; how much it is, or -1. */
ssize_t hotpath__read_file(const char *path, char *into, size_t size);
/* The same for a file that the kernel has of each thread: "comm". */
ssize_t hotpath__read_task(uint32_t tid, const char *file, char *into, size_t size);
/* The program ended well: give back what was not used. */
void hotpath__segment_finish(void);
/* A file in a folder, as the kernel lists them. */
struct hotpath__entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

/* Memory of the recorder's own, zero; the lock is held. NULL when there is none. */
void *hotpath__private(size_t size);
/* Memory that is zero in a forked child, unless the kernel is too old for that. */
void *hotpath__map_wiped(size_t size);
/* The same, remembered as ours; the lock is held. */
void *hotpath__map_own(size_t size);
void hotpath__own_region(const void *start, size_t size);
/* Those of which hotpath__own_region was told are not locked any more; the lock is held. */
void hotpath__unlock_regions(void);
/* The program has locked its memory; and if it wants so, what is mapped from now on. */
void hotpath__stay_unlocked(bool locks_future);
/*
 * Map the beginning of a file, or private memory for -1, where it can be made longer. Sets base and mapped of the
 * recorder. Returns false with errno.
 */
bool hotpath__map_segment(int fd, uint64_t first);
/* Have the segment mapped up to an offset. */
bool hotpath__map_more(uint64_t end);
uint64_t hotpath__page_size(void);
extern bool hotpath__forks_unwiped;

static inline uint64_t hotpath__round_up(uint64_t size, uint64_t unit)
{
	return (size + unit - 1) / unit * unit;
}

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

/* More of the segment is mapped: forked children will inherit that. */
void hotpath__note_mapped(void);

/* Off, or not asked for: known without a call. */
static inline bool hotpath__is_idle(void)
{
	/* RELAXED: who switches it on may be seen a little later. */
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);
	uint32_t state = recorder ? load(&recorder->state, RELAXED) : (uint32_t)STATE_UNSET;

	return state == STATE_OFF || state == STATE_IDLE;
}

/* The state, after finding out what was asked for; and after beginning to record if that was. */
uint32_t hotpath__state(void);
uint32_t hotpath__ready(void);
/* Begin to record, whoever asked; returns the state. */
uint32_t hotpath__begin_recording(struct recorder *recorder);
/*
 * Make the segment before anything is measured, if the tool runs the program: soon its folder is out of reach. What is
 * left empty is removed by the tool.
 */
void hotpath__reserve_segment(void);
/* This thread may not even read the clock from now on: nothing more is recorded on it, and no more threads are. */
void hotpath__give_up(void);
/* Whether the program began as root, and is another user now. */
bool hotpath__was_root(void);
/* Whether forked children record too. */
void hotpath__children_record(bool record);
/* Write down how much memory the process has in use, and what of it is ours; the lock is held. */
void hotpath__note_memory(struct hp_header *header);
/* Learn the exit status before the report is printed. */
/* Call what the program wants called before its recording ends, unless that was done. Returns whether it was now. */
bool hotpath__call_before_stop(void);
void hotpath__watch_exit(void);
/* Have forked children begin with a state of their own, and be sampled as their parent was. */
void hotpath__watch_forks(void);
/* End the program after so long; 0 does nothing. */
void hotpath__plan_shutdown(unsigned milliseconds);
/* Count a fault where there may be no lane. */
void hotpath__count(enum hp_counter counter);

/* ---- sampler ---- */

/* Sample every thread so many times a second of CPU time, if the environment does not say otherwise. */
void hotpath__sampling_begin(unsigned rate);
/* The same, before there is a segment, for a program that `hotpath run` started or that was forked while it recorded:
   as the environment says, or as its parent was sampled. Does nothing the second time. */
void hotpath__sampling_armed(void);
/* This process is a forked child. */
void hotpath__sampling_forked(void);
void hotpath__sampling_end(void);
/* A filter of system calls comes that leaves no room for samples. */
void hotpath__sampling_filtered(void);
/* Sample this thread too, if others are. */
void hotpath__sample_thread(void);
/* Whether threads are sampled; the signal that comes with samples, 0 for none; whether it is this one. */
bool hotpath__is_sampling(void);
int hotpath__sampling_signal(void);
bool hotpath__is_sampling_with(int signal);
/* Leave it to the program. */
void hotpath__sampling_gives_way(int signal);
/* A thread that is not sampled is about to have this stack for its signals. If it is too small for any, ours would come
   on the stack in use. */
void hotpath__sampling_sees_stack(const stack_t *stack);
/* Whether this thread may have a stack of ours for its signals; if so, the program is to ask for its own by the other, which
   is as sigaltstack. */
bool hotpath__owns_signal_stack(void);
int hotpath__change_signal_stack(const stack_t *stack, stack_t *before);
/* What the program believes to be done with it; and, unless NULL, is to believe from now on. */
void hotpath__sampling_pretends(const struct sigaction *action, struct sigaction *before);
/* Write down how the CPU is sampled; and how much of its time no sample stands for. */
void hotpath__describe_sampling(struct hp_header *header);
void hotpath__note_cpu(struct hp_header *header);
/* Begin the samples of a lane at zero. */
void hotpath__zero_samples(struct thread *me);
/* Code was unloaded: forget what is not there any more. The lock is held. */
void hotpath__forget_code(void);

/* ---- calibrate ---- */

/* Find out what a measured call costs, so that it can be taken off. */
void hotpath__calibrate(struct recorder *recorder);

/* ---- options ---- */

const struct settings *hotpath__settings(void);
/* The allocator does not tell how it rounds: what is freed cannot be kept without following each block. */
void hotpath__settings_no_rounding(void);

/* ---- handover ---- */

/* Whether this is the shared library: that one never hands over. */
extern const bool hotpath__is_shared;
/* Whether it was loaded into a program of another C library than its own, where it does nothing. */
bool hotpath__is_foreign(void);

/* The entry points of a recorder, for another one in the same process. */
struct hotpath__recorder_ops {
	size_t size;
	void (*span_begin)(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
	void (*span_end)(struct hotpath_span *span);
	void (*function_enter)(uintptr_t function, void *caller, uintptr_t sp, uintptr_t from);
	void (*function_exit)(uintptr_t function, uintptr_t caller, uintptr_t sp, uintptr_t from);
	void (*operation_begin)(struct hotpath_span *span, struct hotpath_site *site);
	void (*operation_end)(struct hotpath_span *span);
	void (*main_begin)(struct hotpath_span *span, struct hotpath_site *site);
	void (*main_end)(struct hotpath_span *span);
	void (*log_value)(struct hotpath_value value);
	void (*thread_name)(const char *name);
	int (*start)(const struct hotpath_options *options);
	int (*stop)(void);
	void (*allocated)(uintptr_t block, uint64_t size, uint64_t rounded, uintptr_t from,
			  uintptr_t sp, enum hotpath_heap heap);
	void (*freed)(uintptr_t block, uint64_t rounded, uintptr_t sp, enum hotpath_heap heap);
	void (*move_begin)(struct moving *moving);
	void (*move_end)(const struct moving *moving, uintptr_t block, uint64_t size,
			 uint64_t rounded, uintptr_t from);
	void (*channel_new)(struct hotpath_channel *channel, struct hotpath_site *site,
			    uint64_t capacity);
	void (*channel_send)(struct hotpath_channel *channel, uint64_t bytes,
			     const struct hp_logged *about);
	void (*channel_recv)(struct hotpath_channel *channel, const struct hp_logged *about);
	void (*channel_close)(struct hotpath_channel *channel);
	void (*stream_new)(struct hotpath_stream *stream, struct hotpath_site *site);
	void (*stream_yield)(struct hotpath_stream *stream, uint64_t bytes,
			     const struct hp_logged *about);
	void (*stream_end)(struct hotpath_stream *stream);
	void (*future_new)(struct hotpath_future *future, struct hotpath_site *site);
	void (*future_end)(struct hotpath_future *future, enum hp_future_state state,
			   struct hotpath_value value);
	void (*poll_begin)(struct hotpath_poll *poll, struct hotpath_future *future, uintptr_t sp);
	void (*poll_end)(struct hotpath_poll *poll);
	void (*value_set)(struct hotpath_site *site, struct hotpath_value value);
	void (*gauge)(struct hotpath_site *site, double value, bool adds);
	void (*label)(const void *object, const char *label);
	void (*fiber_switch)(uint64_t id);
	void (*value_set_as)(struct hotpath_site *site, const char *key,
			     struct hotpath_value value);
	void (*before_stop)(void (*function)(void));
};

/* Another recorder in this process that was there first; NULL when there is none. */
const struct hotpath__recorder_ops *hotpath__other_recorder(void);

/* ---- log ---- */

enum {
	/* There is room for more than the mark of a text that was cut. */
	LOG_LEN_MIN = 16,
};

/* How long a text may be that has so much room anyway, if nobody has said so. */
static inline size_t hotpath__text_length(size_t room)
{
	unsigned length = hotpath__settings()->max_log_len;

	return length ? length : room - 1;
}

/* Whether texts that have so much room are kept again, at greater length. */
static inline bool hotpath__has_long_texts(size_t room)
{
	return hotpath__settings()->max_log_len >= room;
}

/*
 * Copy what may be a string, and may be at no address at all; false when it is not. Of a long one, so many bytes,
 * with a mark that it was cut; there is room for one more.
 */
bool hotpath__copy_string(char *into, size_t length, const char *string);
/* A text is longer than so many bytes: it ends with a mark, within these. */
void hotpath__cut_text(char *text, size_t length);
/* Store it where readers look, in so much room; cut if need be. */
void hotpath__store_text(char *into, size_t room, const char *text);

/* ---- platform ---- */

/* What whoever holds the lock gives back with it. */
struct guard {
	uint64_t signals;
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
/* The same if that can be had without waiting. */
bool hotpath__try_lock(struct guard *guard);
void hotpath__unlock(const struct guard *guard);
/* Whether this thread holds it. */
bool hotpath__is_locking(void);
uint32_t hotpath__tid(void);
/* Whether a thread of this process is gone; false when that is not known. */
bool hotpath__has_ended(uint32_t tid);
/* As sigprocmask, which probes of ours may stand before, with sets as the kernel has them: those of the C library are 16
   times as large, and this may be on a small stack. */
void hotpath__mask(int how, uint64_t signals, uint64_t *before);

/* 0 is no signal. */
static inline uint64_t hotpath__signal_bit(int signal)
{
	return signal ? UINT64_C(1) << (signal - 1) : 0;
}

/* But for two by which the C library makes threads do something, and waits for it. */
#define ALL_SIGNALS (UINT64_MAX & ~(UINT64_C(3) << 31))

/* Writing may raise SIGPIPE or SIGXFSZ, which are not the program's doing: take them off again. */
struct hush {
	uint64_t before;
	bool pending;
};

void hotpath__hush(struct hush *hush);
void hotpath__unhush(const struct hush *hush);
/* Remember what standard output and error are, the first time; and whether one of them is still such a stream. */
void hotpath__note_streams(void);
bool hotpath__is_stream(int fd);
/* One line on standard error: "hotpath: " and the pieces; ends with a NULL. */
void hotpath__warn(const char *piece, ...) __attribute__((sentinel));

/* ---- the report, which is on the other side of the fence ---- */

/*
 * Have at hand what prints the report, unless the tool will print it: before the program changes its root or gives up
 * privileges, and before anything is recorded.
 */
void hotpath__report_prepare(void);
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
