/* SPDX-License-Identifier: MIT */
/*
 * The functions that the files of the recorder share.
 *
 * The recorder runs inside the measured program, on any thread, in signal handlers, before main and after it. So it
 * allocates with mmap only, and calls nothing of libc that takes a lock. It holds its own lock with signals blocked,
 * so that no signal handler finds the lock held by the thread that it interrupted.
 */
#ifndef HOTPATH_RECORDER_H
#define HOTPATH_RECORDER_H

#include "memory/heap.h"
#include "process/seccomp.h"
#include "state.h"

#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* This thread's state; NULL before its first measured call. */
extern __thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));
/* This thread's last destructor has run: it has given its state back. */
extern __thread bool hotpath__gone __attribute__((tls_model("initial-exec")));
/* The state of the recorder; NULL before the first use. */
extern struct recorder *hotpath__recorder;

/* ---- tasks ---- */

/* The state of the calling task, one of several that share the thread-local variables, and so find `shared` in
   hotpath__me. NULL before its first measured call. */
struct thread *hotpath__task_state(struct thread *shared);

/* The state of the calling thread or task. The hot path reads hotpath__me directly: a shared state is never READY. */
static inline struct thread *hotpath__own_state(void)
{
	struct thread *me = hotpath__me;

	return likely(!me || me->busy != SHARED) ? me : hotpath__task_state(me);
}

/* Whether a state is the first one of the calling thread, not the second one that signal handlers use. */
static inline bool hotpath__is_first(const struct thread *me)
{
	return me == hotpath__me || me->is_task;
}

/* A task is about to be created that shares the thread-local variables of this thread. */
void hotpath__share_state(void);
/* Add a task and its state to the group, or remove it. The lock is held. False when the group is full. */
bool hotpath__task_begins(struct thread *shared, struct thread *me);
void hotpath__task_ends(struct thread *me);
bool hotpath__task_is_gone(const struct thread *me);

/* ---- clock ---- */

extern bool hotpath__monotonic;

uint64_t hotpath__monotonic_ns(void);

/* The time now, by the clock that was chosen. */
static inline uint64_t hotpath__ticks(void)
{
	return unlikely(hotpath__monotonic) ? hotpath__monotonic_ns() : hotpath__counter();
}

/* Choose the clock, and fill in the header's clock fields. */
void hotpath__clock_init(struct hp_header *header, bool monotonic);
/* Read both clocks together. */
struct hp_moment hotpath__clock_moment(void);
/* Store a moment in the segment. */
static inline void hotpath__set_moment(struct hp_moment *moment, struct hp_moment now)
{
	store(&moment->ticks, now.ticks, RELAXED);
	store(&moment->monotonic_ns, now.monotonic_ns, RELAXED);
}
/* Compute the ticks per second again, more exactly, now that more time has passed. */
void hotpath__clock_update(struct hp_header *header);

/* The section that the hot path is in. The linker defines __start_ and __stop_ symbols for a section with such a
   name. */
#define HOT_SECTION "hotpath_text"
extern const char __start_hotpath_text[], __stop_hotpath_text[];

/* ---- record: the slow halves of the hot path are in slow ---- */

/* The entry points, which assembly stubs call with two more arguments: the caller's stack pointer, and the return
   address. */
void hotpath__span_begin(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__function_enter(uintptr_t function, void *caller, uintptr_t sp, uintptr_t from);
void hotpath__function_exit(uintptr_t function, uintptr_t caller, uintptr_t sp, uintptr_t from);

/* For a thread without a state, which has recorded nothing yet (_unknown); and for everything else that the hot
   path does not handle (_slow). The former return quickly when nothing is being recorded. */
void hotpath__begin_unknown(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_unknown(struct hotpath_span *span);
void hotpath__enter_unknown(uintptr_t function, uintptr_t sp, uintptr_t from);
void hotpath__exit_unknown(struct leaving leaving);
void hotpath__begin_slow(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_slow(struct hotpath_span *span, uint64_t now, uintptr_t sp);
void hotpath__enter_slow(uintptr_t function, uintptr_t sp, uintptr_t from);
void hotpath__exit_slow(struct leaving leaving, uint64_t now);

/* Whether a call that begins at `from` is already open among the innermost frames of this height. Calls that were
   inlined into one function share its stack pointer, and so have the same height. */
static inline bool hotpath__is_again(const struct thread *me, uintptr_t from, uintptr_t height)
{
	const struct frame *frame = me->top;

	for (; frame->height == height && frame > me->frames; frame--)
		if (frame->from == from)
			return true;
	return false;
}

/*
 * Whether a call that begins here nests properly: its stack pointer is below that of the innermost open call, which
 * is therefore still being executed; or the same, and it is another inlined call.
 */
static inline bool hotpath__in_order(const struct thread *me, uintptr_t from, uintptr_t height)
{
	if (likely(height < me->top->height))
		return true;
	return height == me->top->height && !hotpath__is_again(me, from, height);
}

/*
 * Whether an exit at this height belongs to this frame, and not to an inner call of the same function. If gcc has
 * split the function, it may exit by a jump at the height at which it was entered.
 */
static inline bool hotpath__is_left(const struct frame *frame, struct leaving leaving,
				    uintptr_t height)
{
	if (leaving.by_jump)
		return frame->height <= height && height <= (frame - 1)->height;
	return height <= frame->height;
}

/*
 * The distance between the stack pointers at which a function was entered and is being left, to find the frame that
 * fits an exit best. Distances on the expected side are less than REACH_MAX; on the other side, which only a split
 * function can explain, REACH_MAX is added; where neither is possible the result is UINTPTR_MAX.
 */
static inline uintptr_t hotpath__distance(uintptr_t entered, struct leaving leaving)
{
	uintptr_t right = leaving.by_jump ? leaving.sp - 1 - entered : entered - leaving.sp;
	uintptr_t wrong = -right;

	if (right < REACH_MAX)
		return right;
	return wrong <= (leaving.by_jump ? 1 : REACH_MAX) ? REACH_MAX + wrong : UINTPTR_MAX;
}

/* Mark the thread busy, or ready again. The fences keep the compiler from moving anything out of the busy section,
   so that a signal handler of the program sees the mark whenever the state is being changed. */
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

/* Convert 1/256 ticks to ticks. The value may be negative: a clock that is read before the work is done sees less
   than the work takes. */
static inline uint64_t hotpath__ticks_of(uint64_t parts)
{
	return (uint64_t)((int64_t)parts >> 8);
}

/* a - b, or 0 if that is negative. Without a branch, which would often be mispredicted for short calls. */
static inline uint64_t hotpath__less(uint64_t a, uint64_t b)
{
	uint64_t rest = a > b ? a - b : 0;

	__asm__("" : "+r"(rest));
	return rest;
}

/* ---- stack ---- */

/* The state to record with, for a slow path that runs at this stack pointer; NULL when not recording. */
struct thread *hotpath__enter(uintptr_t sp);
/* The innermost open call of code that runs at this stack pointer; the thread's first frame when there is none. */
struct frame *hotpath__innermost(struct thread *me, uintptr_t sp);
/* Whether this code runs on an alternate signal stack. */
bool hotpath__on_signal_stack(void);
/* The state that holds the frames of a call which ends at this stack pointer; NULL when there is none. */
struct thread *hotpath__ending_state(uintptr_t sp);
/* Whether there is room for one more frame; more room is mapped if necessary. In the functions below the thread is
   busy. */
bool hotpath__has_room(struct thread *me);
/* The frame of a span, or of a function that is being left; NULL when there is none. */
struct frame *hotpath__find_frame(struct thread *me, const struct hotpath_span *span);
struct frame *hotpath__find_left(struct thread *me, struct leaving leaving);
/* End a frame. The frames inside it, which longjmp must have left, are ended as abandoned. */
void hotpath__end_frame(struct thread *me, const struct frame *frame, uint64_t now);
/* End the innermost open call, or every one, as abandoned. */
void hotpath__abandon_top(struct thread *me);
void hotpath__abandon_all(struct thread *me);
/* The duration of a call, in ticks, without the profiler's own time in it; `lost` is in 1/256 ticks. */
uint64_t hotpath__duration(struct thread *me, uint64_t start, uint64_t now, uint64_t lost);

/* Whether a stack pointer is on the thread's own stack. */
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

/* The slot with a key, or the empty slot where it belongs. */
static inline struct slot *hotpath__slot(const struct thread *me, uint64_t key)
{
	uint32_t at = hotpath__hash(me, key);

	while (me->slots[at].key != key && me->slots[at].key)
		at = (at + 1) & (UINT32_MAX >> me->shift);
	return &me->slots[at];
}

/*
 * The branch for a call of a function that begins now; `what` is the id of its site, or its address. NULL when it is
 * not found in one or two steps. Most calls have the same caller as the last call of the function, or are recursive,
 * and need one step.
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

/* A recursive call begins; `depth` calls of the function are open now. With the second one, store the node of the
   first. */
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

/* A frame is complete and about to become the top; with it, `depth` calls of its function are open. */
static inline void hotpath__opened(const struct thread *me, const struct frame *frame,
				   uint32_t depth)
{
	if (likely(depth == 1))
		store(&frame->stat->open_since, frame->start, RELAXED);
	else
		hotpath__nest(me, frame - 1, frame->branch, depth);
}

/* A recursive call has ended: the flags to store with its duration. */
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

/* The branch of a site as called from another branch, created when it is missing; NULL when there is no room. */
struct branch *hotpath__branch(struct thread *me, struct branch *from, uint32_t site);
/* From now on a function is found by its address; with NULL as branch, it is known as one that is not to be
   measured. */
void hotpath__know_address(struct thread *me, uintptr_t function, struct branch *branch);
/* Forget the addresses of all functions; the lock is held. */
void hotpath__forget_addresses(struct thread *me);
/* Set the number of recursive calls in progress to 0 in all branches. */
void hotpath__forget_nested(struct thread *me);
/* Initialise the table of slots of a new thread state, with its root branch. */
void hotpath__branch_init(struct thread *me);
/* Set the figures of a lane's nodes to zero. */
void hotpath__zero_nodes(struct thread *me);

/* ---- module ---- */

/* In place of a site's id: `hotpath cc` was told not to measure this function. */
#define SITE_SKIPPED UINT32_MAX

/* The site of the function at an address, registered when it is new; 0 when there is no room. */
uint32_t hotpath__function_site(uintptr_t function);
/* The site of the call with this return address; 0 when there is no room. */
uint32_t hotpath__call_site(uintptr_t from);
/* Register the modules of all code that is mapped, while the kernel's list of mappings can still be read; the lock
   is held. */
void hotpath__learn_modules(void);
/* Copy a module from the parent's segment into that of a forked child; the lock is held. Returns its offset, or 0. */
uint64_t hotpath__module_copy(const char *parent, uint64_t at);
/* An executable mapping, and the module that it belongs to. */
struct code {
	uintptr_t start;
	uintptr_t end;
	/* The difference between its addresses in memory and in its file; and the id of the module, 0 when it has
	   none. */
	uintptr_t bias;
	uint32_t module;
	bool readable;
	/* It is a library of ours. */
	bool ours;
	uint64_t device;
	uint64_t inode;
};

/* The executable mapping around an address; false when there is none, or code is being unloaded. The lock is held. */
bool hotpath__find_code(uintptr_t address, struct code *code);
/* Code is about to be unloaded, or has been: other code may get its addresses. */
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
	/* Where in the file it begins, and the device and inode of that file; the inode is 0 when there is no
	   file. */
	uint64_t offset;
	uint64_t device;
	uint64_t inode;
	char path[HP_PATH_MAX];
};

void hotpath__maps_open(struct maps *maps);
bool hotpath__maps_next(struct maps *maps, struct mapping *mapping);
void hotpath__maps_close(const struct maps *maps);

/* The end of the frames that may be used. The frame there exists too, and can be read. */
static inline struct frame *hotpath__last_frame(const struct thread *me)
{
	return me->frames + me->room - 1;
}

/* ---- bounds ---- */

/* Find the bounds of this thread's stack. `sp` is the stack pointer of the code to be recorded; a signal handler
   that calls this may itself run on another stack. */
void hotpath__find_stack(struct thread *me, uintptr_t sp);
/* A call came from below the assumed lower bound: look it up exactly, once. The thread is busy. */
void hotpath__extend_stack(struct thread *me);

/* ---- stray: the thread is busy in all of these ---- */

/* Begin a stray. For a function, span is NULL and key its address. */
void hotpath__stray_begin(struct thread *me, uint32_t site, uintptr_t key,
			  struct hotpath_span *span, uintptr_t sp);
void hotpath__stray_end(struct thread *me, struct hotpath_span *span, uint64_t now);
/* End the stray of a function that is being left, if there is one that is closer than `reach`. */
bool hotpath__stray_exit(struct thread *me, struct leaving leaving, uint64_t now, uintptr_t reach);
/* The innermost stray around code that runs at this stack pointer; NULL when there is none. */
struct frame *hotpath__stray_around(struct thread *me, uintptr_t sp);

/* ---- fiber ---- */

/* This thread switches to a coroutine, whose stack has these bounds; 0 and UINTPTR_MAX when they are not known. */
void hotpath__fiber(uint64_t id, uintptr_t low, uintptr_t high);

/* The coroutine that runs at this stack pointer; 0 when that is not known. */
static inline uint64_t hotpath__fiber_at(const struct thread *me, uintptr_t sp)
{
	return me->fiber && sp - me->fiber_low <= me->fiber_high - me->fiber_low ? me->fiber : 0;
}

/* ---- operation ---- */

/* Count a call that has no frame, by the site and start in its span. The thread is busy. */
void hotpath__end_alone(struct thread *me, const struct hotpath_span *span, uint64_t now);

/* ---- flush ---- */

/* A call that ended. */
struct call {
	uint64_t end;
	uint64_t duration;
	uint64_t self;
	/* HP_CALL_NESTED and HP_CALL_SAME_NODE, or 0. */
	uint64_t flags;
};

/* Count a call that has ended. If the thread's logged value belongs to this frame, it is stored with the call;
   frame may be NULL. The thread is busy. */
void hotpath__count_call(struct thread *me, const struct branch *branch, struct call call,
			 const struct frame *frame);
/* Add the calls that wait in the ring to the stat's figures and histogram; the thread is busy. */
void hotpath__flush(struct thread *me, struct hp_stat *stat);
/* The same, and mark the thread ready: the hot path ends with a tail call of this. */
void hotpath__flush_and_leave(struct thread *me, struct hp_stat *stat);

/* ---- thread ---- */

/* Give this thread a state and a lane. The lock is held. NULL when there is no room. */
struct thread *hotpath__attach(uintptr_t sp);
/* The thread of this state is gone, and its destructor did not run; the lock is held. */
void hotpath__thread_is_gone(struct thread *me);
/* Give a thread its second state, for signal handlers that interrupt the recorder; the lock is held. */
struct thread *hotpath__attach_interrupt(struct thread *me);
/* The state for allocations that threads make after their last destructor; the lock is held. */
struct thread *hotpath__attach_orphan(void);
/* The stat of a site in a thread's lane, created when it is missing; NULL when there is no room. */
struct hp_stat *hotpath__stat(struct thread *me, uint32_t site);
/* The counters of an octave, allocated when they are missing; NULL when there is no room. */
uint32_t *hotpath__octave(struct thread *me, uint32_t *offset);
/* The arrays that belong to a stat, allocated when they are missing; NULL when there is no room. */
uint32_t *hotpath__carries(struct thread *me, struct hp_stat *stat);
uint64_t *hotpath__values(struct thread *me, struct hp_stat *stat);
char *hotpath__texts(struct thread *me, struct hp_stat *stat);
char *hotpath__long_texts(struct thread *me, struct hp_stat *stat);
/* Set an array of counters to zero. */
void hotpath__zero_counters(char *base, uint64_t at, unsigned count);
/* Allocate in the segment, for one lane; returns the offset, 0 when there is no room. */
uint64_t hotpath__lane_take(struct thread *me, uint64_t size);
/* Make the next call of every thread take the slow path, where it notices a new session or unloaded code. */
void hotpath__close_hot_paths(const struct recorder *recorder);
/* Calls of a thread count if they began at `start` or later. */
void hotpath__thread_session(struct thread *me, uint64_t start);
/* Set the figures of a thread's lane to zero, for a new session. */
void hotpath__thread_renew(struct thread *me, uint32_t session);
/* If code was unloaded since this thread last checked, forget the addresses that it knows. */
void hotpath__thread_unloads(struct thread *me);
/* Store the name of a lane's thread. */
void hotpath__lane_name(struct hp_lane *lane, const char *name);
void hotpath__thread_key_init(void);

/* ---- ended ---- */

/* In all but the last the lock is held. This thread ends; or another thread is gone whose destructor did not run. */
void hotpath__thread_retires(struct thread *me);
void hotpath__thread_vanished(struct thread *thread);
/* The process ends, or stops recording: store the CPU times and the present names of all threads. */
void hotpath__note_threads(void);
/* A session begins: empty the table of ended threads. */
void hotpath__forget_ended(void);
/* Set to zero what a lane knows of ended threads, and what was freed in it. */
void hotpath__zero_ended(struct thread *me);

/* ---- site ---- */

/* The id of a site, registered when it is new; 0 when there is no room. */
uint32_t hotpath__site_id(struct hotpath_site *site);
/* Register a site, or find it; the lock is held. 0 when there is no room. */
uint32_t hotpath__site_register(const struct hotpath_site *site);
/* The id of a site, or 0 when it is not registered; works without the lock. */
uint32_t hotpath__site_find(const struct hotpath_site *site);
/* The site of an address in a module, as given in its file; name may be NULL. The lock is held. */
uint32_t hotpath__site_of_address(enum hp_site_kind kind, const char *name, uint64_t module,
				  uint64_t offset);
/* The site of an object that is known by a name and an address in memory; the lock is held. 0 when there is no
   room. */
uint32_t hotpath__site_of_code(enum hp_site_kind kind, const char *name, uintptr_t code);
/* The site of the polls that belong to a future's site; the lock is held. 0 when it is not a future's. */
uint32_t hotpath__poll_site(uint32_t future);
/* A span of site `id` began in the stack frame of the instrumented function `twin`: they may be the same function. */
void hotpath__site_twin(uint32_t id, uint32_t twin);
/* Register all sites of the parent's segment in a forked child's, with the same ids; the lock is held. */
bool hotpath__sites_copy(const char *parent);

/* ---- program ---- */

/* Keep a copy of the command line. Called when the program begins, before it can write over its arguments. */
void hotpath__note_program(void);
/* Store the executable, the arguments and the start time of the process; the lock is held. */
void hotpath__describe_program(struct hp_header *header);
/* Store the present title of the process; the lock is held. */
void hotpath__note_title(struct hp_header *header);

/* ---- writer ---- */

/* Create the segment and its header; the lock is held. False when there is no memory at all. */
bool hotpath__segment_create(const struct settings *settings);
/* Allocate in the segment, aligned to 64 bytes and zero; the lock is held. Returns the offset, 0 when there is no
   room. */
uint64_t hotpath__segment_take(uint64_t size);
uint64_t hotpath__segment_string(const char *string);
/* Allocate ahead, in the segment and of the recorder's own memory, before a seccomp filter forbids to. The lock is
   held. */
void hotpath__segment_prepare(uint64_t size);
void hotpath__private_prepare(size_t size);
/* Open a folder that belongs to this user and to which nobody else may write, created when it is missing; -1 with
   errno otherwise. */
int hotpath__open_folder(const char *folder);
/* Read the beginning of a file, and add a NUL. Returns the number of bytes read, or -1. */
ssize_t hotpath__read_file(const char *path, char *into, size_t size);
/* The same for a file of a thread in /proc/self/task, such as "comm". */
ssize_t hotpath__read_task(uint32_t tid, const char *file, char *into, size_t size);
/* The program exits normally: cut the unused rest off the file. */
void hotpath__segment_finish(void);
/* An entry of a directory, as SYS_getdents64 returns it. */
struct hotpath__entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

/* Allocate memory of the recorder's own, zero, never freed; the lock is held. NULL when there is none. */
void *hotpath__private(size_t size);
/* Map memory that the kernel wipes in a forked child (MADV_WIPEONFORK), unless it is too old for that. */
void *hotpath__map_wiped(size_t size);
/* The same, and keep the region in a list, so that its memory can be counted as the profiler's; the lock is held. */
void *hotpath__map_own(size_t size);
void hotpath__own_region(const void *start, size_t size);
/* munlock all regions of that list; the lock is held. */
void hotpath__unlock_regions(void);
/* The program has called mlockall: unlock the recorder's memory, and if it locks future mappings too, those of the
   recorder from now on. */
void hotpath__stay_unlocked(bool locks_future);
/* Unlock memory that was just mapped, if the program had all new mappings locked (mlockall with MCL_FUTURE). */
void hotpath__not_locked(const void *start, size_t size);
/*
 * Map the beginning of a file, or private memory for -1, where it can be made longer. Sets base and mapped of the
 * recorder. Returns false with errno.
 */
bool hotpath__map_segment(int fd, uint64_t first);
/* Map the segment up to an offset. */
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

/* The session's number as in the segment, where only starts are counted. */
static inline uint32_t hotpath__session_number(uint32_t session)
{
	return session / 2;
}

static inline struct hp_header *hotpath__header(void)
{
	return (struct hp_header *)hotpath__recorder->base;
}

/* ---- lifecycle ---- */

/* More of the segment is mapped now: note it for forked children, which read their parent's sites there. */
void hotpath__note_mapped(void);

/* Whether recording is off, or was not asked for yet. Inline, so that programs which record nothing pay for no
   call. */
static inline bool hotpath__is_idle(void)
{
	/* RELAXED: a start on another thread may be seen a little later. */
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);
	uint32_t state = recorder ? load(&recorder->state, RELAXED) : (uint32_t)STATE_UNSET;

	return state == STATE_OFF || state == STATE_IDLE;
}

/* The recorder's state, an enum state, never STATE_UNSET. hotpath__ready also begins to record if the state is
   STATE_ARMED. */
uint32_t hotpath__state(void);
uint32_t hotpath__ready(void);
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
/* Whether the program began as root, and is another user now. */
bool hotpath__was_root(void);
/* Whether forked children record too. */
void hotpath__children_record(bool record);
/* Store the resident memory of the process, and the profiler's part of it; the lock is held. */
void hotpath__note_memory(struct hp_header *header);
/* Call the function that was set by hotpath_before_stop, once. Returns whether it was called now. */
bool hotpath__call_before_stop(void);
/* Register an exit handler that stores the exit status, before the report is printed. */
void hotpath__watch_exit(void);
/* Register a fork handler: a child begins with a state of its own, and is sampled if its parent was. */
void hotpath__watch_forks(void);
/* Call exit after so many milliseconds; 0 does nothing. */
void hotpath__plan_shutdown(unsigned milliseconds);
/* Count a fault in the header, for code that may have no lane. */
void hotpath__count(enum hp_counter counter);

/* ---- sampler ---- */

/* Sample every thread `rate` times per second of CPU time, unless the environment sets something else. */
void hotpath__sampling_begin(unsigned rate);
/* The same, before there is a segment, for a program that `hotpath run` started or that was forked while
   recording: as the environment says, or as the parent was sampled. Does nothing when called again. */
void hotpath__sampling_armed(void);
/* This process is a forked child. */
void hotpath__sampling_forked(void);
void hotpath__sampling_end(void);
/* A seccomp filter is about to be set that does not allow what sampling needs: end it. */
void hotpath__sampling_filtered(void);
/* Sample this thread too, if others are. */
void hotpath__sample_thread(void);
/* Whether threads are sampled; the signal that is used, 0 for none; whether it is this one. */
bool hotpath__is_sampling(void);
int hotpath__sampling_signal(void);
bool hotpath__is_sampling_with(int signal);
/* The program wants this signal for itself: sample with another one. */
void hotpath__sampling_gives_way(int signal);
/* A thread that is not sampled is about to set this alternate signal stack. If it is too small even for the
   registers, the sampling signal is handled on the stack in use, without SA_ONSTACK. */
void hotpath__sampling_sees_stack(const stack_t *stack);
/* Whether this thread may have an alternate signal stack of ours. If so, its calls of sigaltstack go to the second
   function, which has the same meaning and hides our stack. */
bool hotpath__owns_signal_stack(void);
int hotpath__change_signal_stack(const stack_t *stack, stack_t *before);
/* Get the program's own action for the sampling signal, which sigaction reports to it; and replace it unless
   `action` is NULL. */
void hotpath__sampling_pretends(const struct sigaction *action, struct sigaction *before);
/* Store how the CPU is sampled; and how much CPU time no sample stands for. */
void hotpath__describe_sampling(struct hp_header *header);
void hotpath__note_cpu(struct hp_header *header);
/* Set the samples of a lane to zero. */
void hotpath__zero_samples(struct thread *me);
/* Code was unloaded: forget the ranges of code that are not mapped any more. The lock is held. */
void hotpath__forget_code(void);

/* ---- calibrate ---- */

/* Measure what a measured call costs, which is subtracted from all durations. */
void hotpath__calibrate(struct recorder *recorder);

/* ---- options ---- */

const struct settings *hotpath__settings(void);
/* The allocator does not tell the size of a block: turn the mode HP_ALLOC_FREED into HP_ALLOC_COUNT. */
void hotpath__settings_no_rounding(void);

/* ---- handover ---- */

/* Whether this is the copy in the shared library, which never hands over to another. */
extern const bool hotpath__is_shared;
/* Whether the library was loaded into a program with another C library, such as musl, where it does nothing. */
bool hotpath__is_foreign(void);

/* The shared library's recorder, if this is a static copy in a process that has both; NULL when there is none. */
const struct hotpath__recorder_ops *hotpath__other_recorder(void);

/* ---- log ---- */

enum {
	/* The shortest limit for logged texts, in bytes: there must be room for more than the ellipsis. */
	LOG_LEN_MIN = 16,
};

/* The maximal length of a logged text: as set by the user, or what fits into `room` with a NUL. */
static inline size_t hotpath__text_length(size_t room)
{
	unsigned length = hotpath__settings()->max_log_len;

	return length ? length : room - 1;
}

/* Whether the user wants texts longer than `room`, so that they are kept again in an array of longer texts. */
static inline bool hotpath__has_long_texts(size_t room)
{
	return hotpath__settings()->max_log_len >= room;
}

/*
 * Copy at most `length` bytes of a string, and a NUL. A longer string ends with an ellipsis. The pointer may be
 * invalid: returns false then.
 */
bool hotpath__copy_string(char *into, size_t length, const char *string);
/* Make a text that was cut at `length` bytes end with an ellipsis, within that length. */
void hotpath__cut_text(char *text, size_t length);
/* Store a text in the segment, in `room` bytes; if it is longer, it ends with an ellipsis. */
void hotpath__store_text(char *into, size_t room, const char *text);

/* ---- platform ---- */

/* What the owner of the lock restores when it unlocks. */
struct guard {
	uint64_t signals;
	int cancel_state;
	/* The program's errno. */
	int error;
	/* The thread held the lock already: this is a recursive call. */
	bool again;
};

/*
 * Take the recorder's lock, which is recursive. Until it is released, signals are blocked and cancellation is
 * disabled.
 */
void hotpath__lock(struct guard *guard);
/* The same without waiting; false when another thread holds the lock. */
bool hotpath__try_lock(struct guard *guard);
void hotpath__unlock(const struct guard *guard);
/* Whether this thread holds the lock. */
bool hotpath__is_locking(void);
uint32_t hotpath__tid(void);
/* Whether a thread of this process is gone; false when that is not known. */
bool hotpath__has_ended(uint32_t tid);
/* sigprocmask as a system call, since our library wraps that of the C library; and with the kernel's sets of 8
   bytes, since those of the C library take 128 and this may run on a small stack. */
void hotpath__mask(int how, uint64_t signals, uint64_t *before);

/* The bit of a signal in such a set; 0 for no signal. */
static inline uint64_t hotpath__signal_bit(int signal)
{
	return signal ? UINT64_C(1) << (signal - 1) : 0;
}

/* All but signals 32 and 33, which the C library sends to threads, and then waits for them to handle. */
#define ALL_SIGNALS (UINT64_MAX & ~(UINT64_C(3) << 31))

/* Our own writing may raise SIGPIPE or SIGXFSZ. hotpath__hush blocks them; hotpath__unhush discards those that we
   have caused, and restores the mask. */
struct hush {
	uint64_t before;
	bool pending;
};

void hotpath__hush(struct hush *hush);
void hotpath__unhush(const struct hush *hush);
/* Note which files standard output and error are, the first time this is called; and whether a descriptor is still
   that stream, and not a data file of the program. */
void hotpath__note_streams(void);
bool hotpath__is_stream(int fd);
/* Print one line on standard error: "hotpath: " and the pieces. The last argument is NULL. */
void hotpath__warn(const char *piece, ...) __attribute__((sentinel));

/* ---- the report, which is on the other side of the fence ---- */

/*
 * Load the library that prints the report, unless the tool will print it. Called before anything is recorded, and
 * before the program can change its root or give up privileges.
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
