/* SPDX-License-Identifier: MIT */
/*
 * The rare halves of begin and end: first calls, repair after longjmp, signal handlers.
 *
 * A thread's open calls are frames in an array, innermost last. Each holds the stack pointer of the
 * function that began it. The stack grows down, so a frame with a lower stack pointer than the code that
 * runs now belongs to a function that has been left without a word, by longjmp or siglongjmp: it is
 * *abandoned*, and counts as a call that lasted until the latest call inside it ended.
 *
 *	sp 0x7f20  main        ─┐
 *	sp 0x7e80  parse       ─┤ open
 *	sp 0x7d10  read_token   │ abandoned: now begins "report" at sp 0x7e00
 *
 * That holds for one stack only: calls that begin on another one are strays.
 */
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>

bool hotpath__on_signal_stack(void)
{
	stack_t stack;

	return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK);
}

/* Count again which functions are open: a handler that left by siglongjmp may have torn the numbers. */
static void recount(struct thread *me)
{
	for (uint64_t at = me->lane->stats; at;) {
		struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
		store(&stat->depth, 0, RELAXED);
		at = stat->next;
	}
	for (struct frame *frame = me->frames + 1; frame <= me->top; frame++)
		store(&frame->stat->depth, frame->stat->depth + 1, RELAXED);
}

/* The state for code that interrupted the recorder on this thread, or the first one if it did not. */
static struct thread *state_when_busy(struct thread *me, uintptr_t sp)
{
	struct guard guard;

	if (sp > me->busy && !hotpath__on_signal_stack()) {
		me->busy = READY;
		recount(me);
		return me;
	}
	if (!me->interrupt) {
		hotpath__lock(&guard);
		hotpath__attach_interrupt(me);
		hotpath__unlock(&guard);
	}
	if (me->interrupt && me->interrupt->busy == READY)
		return me->interrupt;
	hotpath__count(HP_COUNTER_signals);
	return NULL;
}

static struct thread *attach(void)
{
	struct thread *me;
	struct guard guard;

	hotpath__lock(&guard);
	me = hotpath__attach();
	hotpath__unlock(&guard);
	if (!me)
		hotpath__count(HP_COUNTER_threads);
	return me;
}

struct thread *hotpath__enter(uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (hotpath__ready() != STATE_RUNNING)
		return NULL;
	/* Wiped: this is a forked child, and it was the parent's. */
	if (!me || !me->busy)
		me = attach();
	else if (me->busy != READY)
		me = state_when_busy(me, sp);
	/* ACQUIRE pairs with the start of a session: its time is there too. */
	uint32_t session = load(&hotpath__recorder->session, ACQUIRE);
	/* Stopped since it was found running: what was recorded is being reported now. */
	if (!me || hotpath__is_stopped(session))
		return NULL;
	if (me->session != session)
		hotpath__thread_renew(me, session);
	return me;
}

struct frame *hotpath__innermost(struct thread *me, uintptr_t sp)
{
	struct frame *stray = hotpath__own_stack(me, sp) ? NULL : hotpath__stray_around(me, sp);

	return stray ? stray : me->top;
}

uint64_t hotpath__duration(struct thread *me, uint64_t start, uint64_t now, uint64_t lost)
{
	uint64_t cost = (lost + me->inner_cost) >> 8;

	if (now < start) {
		add(&me->lane->counters[HP_COUNTER_clock_backwards], 1);
		return 0;
	}
	uint64_t duration = hotpath__less(now - start, cost);
	return duration < HP_CALL_DURATION ? duration : HP_CALL_DURATION;
}

/* End the innermost frame. */
static void end_top(struct thread *me, uint64_t now)
{
	struct frame *frame = me->top, *parent = frame - 1;
	struct hp_stat *stat = frame->stat;
	uint64_t duration = hotpath__duration(me, frame->start, now, frame->lost);

	parent->children += duration;
	parent->lost += frame->lost + me->span_cost;
	parent->latest = now;
	me->top = parent;
	store(&stat->depth, stat->depth - 1, RELAXED);
	if (frame->start < load(&me->session_start, RELAXED))
		return;
	struct call call = { now, duration, duration - frame->children, stat->depth != 0 };
	hotpath__count_call(me, stat, call, frame);
}

/* The innermost call was left without a word: it lasted at least until the latest call inside it. */
static void abandon_top(struct thread *me)
{
	const struct frame *frame = me->top;

	add(&me->lane->counters[HP_COUNTER_abandoned], 1);
	end_top(me, frame->latest > frame->start ? frame->latest : frame->start);
}

void hotpath__abandon_all(struct thread *me)
{
	while (me->top > me->frames)
		abandon_top(me);
}

/*
 * The frame of a span; NULL when it has none. A span on the stack lies above the stack pointer of its own
 * function, so frames whose stack pointer is above the span need not be looked at: there may be millions.
 */
static struct frame *find_frame(struct thread *me, const struct hotpath_span *span)
{
	uintptr_t at = (uintptr_t)span - me->stack_low;
	uintptr_t highest = hotpath__own_stack(me, (uintptr_t)span) ? at : UINTPTR_MAX;
	struct frame *frame = me->top;

	while (frame > me->frames && frame->span != span && frame->height <= highest)
		frame--;
	return frame > me->frames && frame->span == span ? frame : NULL;
}

static void abandon_down_to(struct thread *me, const struct frame *frame)
{
	while (me->top >= frame)
		abandon_top(me);
}

/* Frames move to a place of their own, of which as much is opened as is needed. */
static struct frame *map_frames(const struct thread *me, size_t room)
{
	size_t whole = FRAMES_MAX * sizeof(struct frame);
	struct frame *frames = me->frames;

	if (frames == me->first)
		frames = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			      -1, 0);
	if (frames == MAP_FAILED)
		return NULL;
	if (mprotect(frames, room * sizeof(struct frame), PROT_READ | PROT_WRITE) == 0)
		return frames;
	if (frames != me->frames)
		munmap(frames, whole);
	return NULL;
}

static void move_frames(struct thread *me, struct frame *frames)
{
	memcpy(frames, me->frames, me->room * sizeof(struct frame));
	me->top = frames + (me->top - me->frames);
	me->frames = frames;
}

/* With the lock, not for other threads, but so that no signal handler leaves in between. */
static bool more_frames(struct thread *me)
{
	size_t room = me->room * 2;
	struct guard guard;

	hotpath__lock(&guard);
	struct frame *frames = room <= FRAMES_MAX ? map_frames(me, room) : NULL;
	if (frames && frames != me->frames)
		move_frames(me, frames);
	if (frames)
		me->room = room;
	hotpath__unlock(&guard);
	return frames != NULL;
}

/*
 * Whether there is room for one more frame. A span that is begun again was left without a word, as blocks
 * of one function may be that a longjmp leaves in turns: they have the same stack pointer.
 */
static bool has_room(struct thread *me, const struct hotpath_span *span)
{
	bool full = me->top + 1 >= me->frames + me->room;
	const struct frame *again = full ? find_frame(me, span) : NULL;

	if (again) {
		abandon_down_to(me, again);
		full = false;
	}
	return !full || more_frames(me);
}

/* Let the hot path use the frames there are, which stopping forbids; unless it was stopped just now. */
static void open_hot_path(struct thread *me)
{
	struct frame *limit = hotpath__monotonic ? me->frames : me->frames + me->room;

	/* SEQ_CST pairs with the start and end of a session: one of us sees the other. */
	store(&me->limit, limit, SEQ_CST);
	if (load(&hotpath__recorder->session, SEQ_CST) != me->session)
		store(&me->limit, me->frames, RELAXED);
}

static void begin_frame(struct thread *me, struct hp_stat *stat, struct hotpath_span *span,
			uintptr_t sp)
{
	struct frame *frame = me->top + 1;

	*frame = (struct frame){
		.plain = span, .stat = stat, .span = span, .height = sp - me->stack_low
	};
	me->top = frame;
	store(&stat->depth, stat->depth + 1, RELAXED);
	frame->start = hotpath__ticks();
	/* The hot path would end it by another clock. */
	if (hotpath__monotonic)
		frame->plain = NULL;
	if (stat->depth == 1)
		store(&stat->open_since, frame->start, RELAXED);
}

static bool out_of_order(const struct thread *me, const struct hotpath_span *span, uintptr_t sp)
{
	return me->top > me->frames &&
	       (me->top->height < sp - me->stack_low || me->top->span == span);
}

/* Whether a call is on a stack whose order with the frames is not known; that may lie in our own. */
static bool is_stray(struct thread *me, const struct hotpath_span *span, uintptr_t sp)
{
	if (sp < me->stack_low)
		hotpath__extend_stack(me);
	if (!hotpath__own_stack(me, sp))
		return true;
	return out_of_order(me, span, sp) && hotpath__on_signal_stack();
}

static void begin(struct thread *me, struct hp_stat *stat, struct hotpath_span *span, uintptr_t sp)
{
	if (me == hotpath__me && is_stray(me, span, sp)) {
		hotpath__stray_begin(me, stat, span, sp);
		return;
	}
	while (out_of_order(me, span, sp))
		abandon_top(me);
	if (has_room(me, span))
		begin_frame(me, stat, span, sp);
	else
		add(&me->lane->counters[HP_COUNTER_depth], 1);
	open_hot_path(me);
}

void hotpath__begin_slow(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp)
{
	struct thread *me = hotpath__enter(sp);

	span->token = TOKEN_NONE;
	if (!me) {
		if (hotpath__state() == STATE_HANDED_OVER)
			hotpath__recorder->other->span_begin(span, site);
		return;
	}
	hotpath__enter_busy(me, sp);
	uint32_t id = hotpath__site_id(site);
	struct hp_stat *stat = id ? hotpath__stat(me, id) : NULL;
	if (stat)
		begin(me, stat, span, sp);
	else if (id)
		add(&me->lane->counters[HP_COUNTER_functions], 1);
	hotpath__leave_busy(me);
}

/* End the frame of a span and, as abandoned, all that is above it; false when it has none. */
static bool end_frame(struct thread *me, const struct hotpath_span *span, uint64_t now,
		      uintptr_t sp)
{
	const struct frame *frame = find_frame(me, span);

	if (!frame)
		return false;
	hotpath__enter_busy(me, sp);
	abandon_down_to(me, frame + 1);
	end_top(me, now);
	hotpath__leave_busy(me);
	return true;
}

/* A handler that interrupted the recorder has its frames in the second state. */
static bool end_any_frame(const struct hotpath_span *span, uint64_t now, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	/* Wiped: this is a forked child, and the frames were its parent's. */
	if (!me || !me->busy)
		return false;
	if (me->busy != READY)
		me = state_when_busy(me, sp);
	return me && end_frame(me, span, now, sp);
}

void hotpath__end_slow(struct hotpath_span *span, uint64_t now, uintptr_t sp)
{
	struct thread *me;

	if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->span_end(span);
		return;
	}
	if (hotpath__monotonic)
		now = hotpath__monotonic_ns();
	if (end_any_frame(span, now, sp) || span->token != hotpath__token(span, TOKEN_STRAY))
		return;
	span->token = TOKEN_NONE;
	me = hotpath__enter(sp);
	if (!me)
		return;
	hotpath__enter_busy(me, sp);
	hotpath__stray_end(me, span, now);
	hotpath__leave_busy(me);
}

/* Off, or not asked for: known without a call. */
static bool not_recording(void)
{
	/* RELAXED: who switches it on may be seen a little later. */
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);
	uint32_t state = recorder ? load(&recorder->state, RELAXED) : (uint32_t)STATE_UNSET;

	return state == STATE_OFF || state == STATE_IDLE;
}

void hotpath__begin_unknown(struct hotpath_span *span, struct hotpath_site *site)
{
	if (unlikely(!not_recording()))
		hotpath__begin_slow(span, site, hotpath__stack_pointer());
}

void hotpath__end_unknown(struct hotpath_span *span)
{
	if (unlikely(!not_recording()))
		hotpath__end_slow(span, hotpath__ticks(), hotpath__stack_pointer());
}
