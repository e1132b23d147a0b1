/* SPDX-License-Identifier: MIT */
/*
 * The open calls of a thread, and their repair after longjmp and signal handlers.
 *
 * A thread's open calls are frames in an array, innermost last. Each holds the stack pointer of the
 * function that began it. The stack grows down, so a frame with a lower stack pointer than the code that
 * runs now belongs to a function that was left by longjmp or siglongjmp: it is
 * *abandoned*, and counts as a call that lasted until the latest call inside it ended.
 *
 *	sp 0x7f20  main        ─┐
 *	sp 0x7e80  parse       ─┤ open
 *	sp 0x7d10  read_token   │ abandoned: now begins "report" at sp 0x7e00
 *
 * That holds for one stack only: calls that begin on another one are strays.
 */
#include "stack.h"

#include "branch.h"
#include "counting.h"
#include "hot_path.h"
#include "memory/heap.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "process/setup_time.h"
#include "process/threads.h"
#include "sleds/settling.h"
#include "stray.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Ticks by which the counters of two processors may differ. */
	SKEW = 256,
};

bool hotpath__on_signal_stack(void)
{
	stack_t stack;

	/* By system call, because our wrapper of sigaltstack hides stacks of ours, on which the program's handlers
	   may run. */
	return syscall(SYS_sigaltstack, NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK);
}

/* Count the open calls of all functions again: a signal handler that left by siglongjmp may have interrupted an
   update. */
static void recount(struct thread *me)
{
	for (uint64_t at = me->lane->stats; at;) {
		struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
		store(&stat->depth, 0, RELAXED);
		if (!stat->repeats)
			store(&stat->open_since, 0, RELAXED);
		at = stat->next;
	}
	hotpath__forget_nested(me);
	for (struct frame *frame = me->frames + 1; frame <= me->top; frame++)
		hotpath__opened(me, frame);
}

/* The state for code that finds the thread busy. If it has interrupted the recorder, that is the second state, or
   NULL when it has interrupted that too. If the mark was left behind by siglongjmp, it is the first state,
   repaired. */
static struct thread *state_when_busy(struct thread *me, uintptr_t sp)
{
	struct guard guard;

	/* A handler has a lower stack pointer than the code that it interrupts; a higher one means that the
	   recorder was left. */
	if (sp >= me->busy && !hotpath__on_signal_stack()) {
		hotpath__drop_half_slot(me);
		me->busy = READY;
		recount(me);
		hotpath__blocks_unlock(me);
		return me;
	}
	if (!me->interrupt) {
		hotpath__lock(&guard);
		hotpath__attach_interrupt(me);
		hotpath__unlock(&guard);
	}
	if (me->interrupt && me->interrupt->busy == READY) {
		/* No fast path for allocations, since they may belong to calls inside the handler. */
		store(&me->owner, NULL, RELAXED);
		return me->interrupt;
	}
	return NULL;
}

static struct thread *attach(uintptr_t sp)
{
	struct thread *me;
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__setup_begins();
	me = hotpath__attach(sp);
	hotpath__setup_ends();
	hotpath__unlock(&guard);
	if (!me)
		hotpath__count(HP_COUNTER_threads);
	return me;
}

/* Recording goes on. */
static struct thread *enter(uintptr_t sp)
{
	/* A seccomp filter may forbid to block signals: this is a handler that interrupted the owner of the lock. */
	if (unlikely(hotpath__filters != NULL) && hotpath__is_locking()) {
		hotpath__count(HP_COUNTER_signals);
		return NULL;
	}
	struct thread *me = hotpath__own_state();
	/* A state that was wiped: this is a forked child. */
	if (!me || !me->busy)
		me = attach(sp);
	else if (me->busy != READY && !(me = state_when_busy(me, sp)))
		hotpath__count(HP_COUNTER_signals);
	/* ACQUIRE pairs with the start of a session: its start time is visible too. */
	uint32_t session = load(&hotpath__recorder->session, ACQUIRE);
	/* Recording was stopped in between, and the report is being made now. */
	if (!me || hotpath__is_stopped(session))
		return NULL;
	if (me->session != session)
		hotpath__thread_renew(me, session);
	hotpath__thread_unloads(me);
	if (unlikely(load(&me->may_be_stale, RELAXED))) {
		hotpath__enter_busy(me, sp);
		hotpath__end_stale(me);
		hotpath__leave_busy(me);
	}
	return me;
}

struct thread *hotpath__enter(uintptr_t sp)
{
	/* First: this may give the thread a state, to calibrate. */
	return hotpath__ready() == STATE_RUNNING ? enter(sp) : NULL;
}

struct thread *hotpath__enter_look(uintptr_t sp)
{
	return hotpath__ready_to_look() == STATE_RUNNING ? enter(sp) : NULL;
}

struct open_call hotpath__innermost(struct thread *me, uintptr_t sp)
{
	struct stray *stray = hotpath__own_stack(me, sp) ? NULL : hotpath__stray_around(me, sp);

	return (struct open_call){ stray, stray ? NULL : me->top };
}

uint64_t hotpath__duration(struct thread *me, uint64_t start, uint64_t now, uint64_t lost,
			   uint64_t children)
{
	uint64_t cost = hotpath__ticks_of(lost + me->inner_cost);

	/* A small difference is not counted: the counters of two processors may be slightly apart. */
	if (now < start) {
		add(&me->lane->counters[HP_COUNTER_clock_backwards], start - now > SKEW);
		return children;
	}
	uint64_t duration = hotpath__at_least(now - start - cost, children);
	return duration < HP_CALL_DURATION ? duration : HP_CALL_DURATION;
}

/* End the innermost frame; `cost` is subtracted from the frame around it. */
static void end_top(struct thread *me, uint64_t now, uint64_t cost)
{
	struct frame *frame = me->top, *parent = frame - 1;
	uint64_t start = frame->start;
	uint64_t probed = frame->key & KEY_TALLIED ? hotpath__tally_lost(me, frame) : 0;
	uint64_t duration = hotpath__duration(me, start, now, frame->lost + probed,
					      frame->children);

	parent->children += duration;
	parent->lost += frame->lost + cost;
	frame->start = now;
	me->top = parent;
	uint64_t flags = hotpath__closed(frame->branch, frame->stat);
	bool counts = start >= load(&me->session_start, RELAXED);
	if (frame->key & KEY_TALLIED)
		hotpath__tally_end(me, frame, counts);
	if (!counts)
		return;
	struct call call = { .end = now,
			     .duration = duration,
			     .self = hotpath__less(duration, frame->children),
			     .flags = flags };
	hotpath__count_call(me, frame->branch, call, frame);
}

/*
 * The innermost call was left by longjmp, or its exit was taken away. It lasted at least until that, and until the last call inside
 * it ended, which used the next frame; if the time there is older than this call's start, there was no call inside.
 */
void hotpath__abandon_top(struct thread *me)
{
	uint64_t latest = me->top[1].start, stale = hotpath__stale_since(me->top);
	uint64_t end = stale ? stale : me->top->start;

	if (!stale)
		add(&me->lane->counters[HP_COUNTER_abandoned], 1);
	end_top(me, latest > end ? latest : end, 0);
}

void hotpath__abandon_all(struct thread *me)
{
	while (me->top > me->frames)
		hotpath__abandon_top(me);
}

void hotpath__forget_sled_calls(struct thread *me)
{
	struct frame *kept = me->frames;

	for (struct frame *frame = me->frames + 1; frame <= me->top; frame++) {
		if (frame->key & KEY_SLED)
			continue;
		*++kept = *frame;
		me->tallies[kept - me->frames] = me->tallies[frame - me->frames];
	}
	if (kept == me->top)
		return;
	me->top = kept;
	recount(me);
}

static bool has_key(const struct frame *frame, uintptr_t key)
{
	return (frame->key & ~(KEY_SLOW | KEY_TALLIED)) == key;
}

/*
 * The frame of a span; NULL when it has none. A span on the stack lies above the stack pointer of its own
 * function, so frames whose stack pointer is above the span are not searched: there may be millions.
 */
struct frame *hotpath__find_frame(struct thread *me, const struct hotpath_span *span)
{
	uintptr_t key = (uintptr_t)span, at = key - me->stack_low;
	uintptr_t highest = hotpath__own_stack(me, key) ? at : UINTPTR_MAX;
	struct frame *frame = me->top;

	while (frame > me->frames && !has_key(frame, key) && frame->height <= highest)
		frame--;
	return frame > me->frames && has_key(frame, key) ? frame : NULL;
}

/* Among the frames of exactly this height, the innermost one of a function; NULL when there is none. */
static struct frame *find_at(struct thread *me, struct frame *frame, uintptr_t function,
			     uintptr_t height)
{
	while (frame > me->frames && frame->height == height && !has_key(frame, function))
		frame--;
	return frame > me->frames && frame->height == height ? frame : NULL;
}

/*
 * The frame of a function that is being left; NULL when it has none. Frames that are lower than the present stack
 * pointer are skipped: their functions were left by longjmp. If the exit was by a jump, the function's own frame is
 * among these, and the outermost of its calls is taken; otherwise it is the first frame that is not lower.
 *
 * If the function was split, its frame may be at the same height in the first case, and lower in the second; there it
 * is the top frame, unless other functions were left by longjmp.
 */
struct frame *hotpath__find_left(struct thread *me, struct leaving leaving)
{
	uintptr_t height = leaving.sp - me->stack_low;
	struct frame *frame = me->top, *lower = NULL;

	for (; frame > me->frames && frame->height < height; frame--)
		if (has_key(frame, leaving.function))
			lower = frame;
	if (leaving.by_jump && lower)
		return lower;
	struct frame *equal = find_at(me, frame, leaving.function, height);
	if (equal || leaving.by_jump)
		return equal;
	if (lower && has_key(me->top, leaving.function))
		return me->top;
	while (frame > me->frames && frame->height == height)
		frame--;
	return frame > me->frames && has_key(frame, leaving.function) ? frame : lower;
}

static void abandon_down_to(struct thread *me, const struct frame *frame)
{
	while (me->top >= frame)
		hotpath__abandon_top(me);
}

/* Make an array larger and keep its contents. The first array is a part of the state; later ones are mappings. */
static void *map_array(void *array, const void *first, size_t old_size, size_t size)
{
	void *place;

	if (array != first)
		place = mremap(array, old_size, size, MREMAP_MAYMOVE);
	else
		place = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (place == MAP_FAILED)
		return NULL;
	hotpath__not_locked(place, size);
	if (array == first)
		memcpy(place, array, old_size);
	return place;
}

static bool map_tallies(struct thread *me, size_t room)
{
	struct tally *tallies;

	hotpath__disown(me);
	tallies = map_array(me->tallies, me->first_tallies, me->room * sizeof(struct tally),
			    room * sizeof(struct tally));
	if (tallies)
		me->tallies = tallies;
	return tallies;
}

static bool map_frames(struct thread *me, size_t room)
{
	size_t top = (size_t)(me->top - me->frames);
	struct frame *frames = map_array(me->frames, me->first, me->room * sizeof(struct frame),
					 room * sizeof(struct frame));

	if (!frames)
		return false;
	store(&me->owner, NULL, RELAXED);
	me->frames = frames;
	me->top = frames + top;
	me->room = room;
	return true;
}

/* The lock is taken only to block signals: no handler can leave by siglongjmp while the arrays are replaced. */
static bool more_frames(struct thread *me)
{
	size_t room = me->room * 2;
	struct guard guard;

	hotpath__lock(&guard);
	bool more = room <= FRAMES_MAX && map_tallies(me, room) && map_frames(me, room);
	hotpath__unlock(&guard);
	return more;
}

bool hotpath__has_room(struct thread *me)
{
	return me->top + 1 < hotpath__last_frame(me) || more_frames(me);
}

struct thread *hotpath__ending_state(uintptr_t sp)
{
	struct thread *me = hotpath__own_state();

	/* A state that was wiped: this is a forked child, and the frames were its parent's. */
	if (!me || !me->busy)
		return NULL;
	/* The frames of a handler that interrupted the recorder are in the second state. */
	return me->busy == READY ? me : state_when_busy(me, sp);
}

void hotpath__end_frame(struct thread *me, const struct frame *frame, uint64_t now)
{
	abandon_down_to(me, frame + 1);
	end_top(me, now, me->span_cost);
	while (unlikely(hotpath__stale_since(me->top)))
		hotpath__abandon_top(me);
}
