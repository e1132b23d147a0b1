/* SPDX-License-Identifier: MIT */
/* The slow path: first calls, calls that do not nest properly, other clocks, other recorders. */
#include "entry_points.h"

#include "branch.h"
#include "hot_path.h"
#include "modules.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/threads.h"
#include "sites.h"
#include "sleds/settling.h"
#include "stack.h"
#include "stray.h"

/* A call that begins. */
struct beginning {
	uint32_t site;
	/* For a function, the address by which the hot path looks it up. */
	uintptr_t what;
	/* As in a frame. */
	uintptr_t key;
	uintptr_t from;
	/* NULL for a function. */
	struct hotpath_span *span;
	uintptr_t sp;
	/* When the slow path began; its time is subtracted from the call around this one. */
	uint64_t since;
};

/* SEQ_CST pairs with the start and end of a session, with unloading, and with exits that go: this thread has just opened a path,
   and one of the two threads sees the other's store. */
static bool is_up_to_date(const struct thread *me)
{
	const struct recorder *recorder = hotpath__recorder;

	return load(&recorder->session, SEQ_CST) == me->session &&
	       load(&recorder->unloads, SEQ_CST) == me->unloads;
}

void hotpath__open_hot_path(struct thread *me)
{
	uint64_t start = load(&me->session_start, RELAXED);

	store(&me->fast_since, hotpath__monotonic ? UINT64_MAX : start, SEQ_CST);
	store(&me->limit, hotpath__monotonic ? me->frames : hotpath__last_frame(me), SEQ_CST);
	if (is_up_to_date(me) && !load(&me->may_be_stale, SEQ_CST))
		return;
	store(&me->fast_since, UINT64_MAX, RELAXED);
	store(&me->limit, me->frames, RELAXED);
}

void hotpath__open_probes(struct thread *me)
{
	if (hotpath__monotonic || !hotpath__is_first(me))
		return;
	hotpath__thread_unloads(me);
	store(&me->probes_open, true, SEQ_CST);
	if (!is_up_to_date(me))
		store(&me->probes_open, false, RELAXED);
}

static void begin_frame(struct thread *me, struct branch *branch, const struct beginning *beginning)
{
	struct frame *frame = me->top + 1;
	struct hp_stat *stat = branch->stat;

	*frame = (struct frame){ .from = beginning->from,
				 .branch = branch,
				 .stat = stat,
				 .key = beginning->key,
				 .height = beginning->sp - me->stack_low };
	signal_fence();
	me->top = frame;
	frame->start = hotpath__ticks();
	frame[-1].lost += (frame->start - beginning->since) << 8;
	add(&me->lane->slow, frame->start - beginning->since);
	/* The hot path would read the wrong clock at its end. */
	if (hotpath__monotonic)
		frame->key |= KEY_SLOW;
	hotpath__opened(me, frame);
}

/* Two functions with sleds cannot have one height: the one that is open was left. */
static bool out_of_order(const struct thread *me, const struct beginning *beginning)
{
	const struct frame *top = me->top;
	uintptr_t height = beginning->sp - me->stack_low;

	if (top == me->frames)
		return false;
	if (beginning->key & top->key & KEY_SLED && height == top->height)
		return true;
	return !hotpath__in_order(me, beginning->key, beginning->from, height);
}

/* Whether a call is on another stack than the frames, so that they cannot be compared. An alternate signal stack
   may lie inside the thread's own stack. */
static bool is_stray(struct thread *me, const struct beginning *beginning)
{
	if (beginning->sp < me->stack_low)
		hotpath__extend_stack(me);
	if (!hotpath__own_stack(me, beginning->sp))
		return true;
	return out_of_order(me, beginning) && hotpath__on_signal_stack();
}

/* A span began in the stack frame of an instrumented function, or inside one with sleds, whose height is that of its
   caller: note that both may be the same function. */
static void note_twin(const struct thread *me, const struct beginning *beginning)
{
	const struct frame *frame = me->top;

	if (beginning->span && frame > me->frames &&
	    (frame->key & KEY_SLED || frame->height == beginning->sp - me->stack_low))
		hotpath__site_twin(beginning->site, frame->branch->stat->site);
}

/* The branch of the call, as called from the innermost open one; NULL when there is no room. */
static struct branch *find_branch(struct thread *me, const struct beginning *beginning)
{
	struct branch *branch = hotpath__branch(me, me->top->branch, beginning->site);

	if (!branch)
		add(&me->lane->counters[HP_COUNTER_functions], 1);
	else if (!beginning->span)
		hotpath__know_address(me, beginning->what, branch);
	return branch;
}

static void begin(struct thread *me, const struct beginning *beginning)
{
	if (hotpath__is_first(me) && is_stray(me, beginning)) {
		hotpath__stray_begin(me, beginning->site, beginning->key, beginning->span,
				     beginning->sp);
		return;
	}
	while (out_of_order(me, beginning) || hotpath__stale_since(me->top))
		hotpath__abandon_top(me);
	if (hotpath__has_room(me)) {
		note_twin(me, beginning);
		struct branch *branch = find_branch(me, beginning);
		if (branch)
			begin_frame(me, branch, beginning);
	} else {
		add(&me->lane->counters[HP_COUNTER_depth], 1);
	}
	hotpath__open_hot_path(me);
}

void hotpath__begin_slow(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp)
{
	struct thread *me = hotpath__enter(sp);

	span->token = TOKEN_NONE;
	if (!me) {
		if (hotpath__state() == STATE_HANDED_OVER)
			hotpath__recorder->other->span_begin(span, site, sp);
		return;
	}
	uint64_t since = hotpath__ticks();
	hotpath__enter_busy(me, sp);
	struct beginning beginning = { .site = hotpath__site_id(site),
				       .key = (uintptr_t)span,
				       .from = (uintptr_t)span,
				       .span = span,
				       .sp = sp,
				       .since = since };
	if (beginning.site)
		begin(me, &beginning);
	hotpath__leave_busy(me);
}

/* Begin a call of a function that is known by its address. If it is not to be measured, that is noted for the next time. */
static void enter_function(struct thread *me, struct beginning *beginning, uintptr_t function)
{
	const struct branch *known = hotpath__slot(me, beginning->what)->branch;

	beginning->site = known ? (uint32_t)known->site : hotpath__function_site(function);
	if (beginning->site == SITE_SKIPPED)
		hotpath__know_address(me, beginning->what, NULL);
	else if (beginning->site)
		begin(me, beginning);
}

void hotpath__enter_address(struct entering entering)
{
	/* This thread holds the lock: the recorder itself has called an instrumented function, such as one of an
	   instrumented libc. */
	if (hotpath__is_locking())
		return;
	/* Before the first call of a thread or a forked child, the clock may not be known. */
	uint64_t since = hotpath__me && hotpath__me->busy ? hotpath__ticks() : 0;
	struct thread *me = hotpath__enter(entering.sp);
	if (!me) {
		if (hotpath__state() == STATE_HANDED_OVER)
			hotpath__recorder->other->function_enter(entering.function, NULL,
								 entering.sp, entering.from);
		return;
	}
	hotpath__enter_busy(me, entering.sp);
	struct beginning beginning = { .what = entering.what,
				       .key = entering.key,
				       .from = entering.from,
				       .sp = entering.sp,
				       .since = since ? since : hotpath__ticks() };
	enter_function(me, &beginning, entering.function);
	hotpath__leave_busy(me);
}

ALIGNS_STACK void hotpath__enter_slow(uintptr_t function, uintptr_t sp, uintptr_t from)
{
	hotpath__enter_address((struct entering){ function, function, function, sp, from });
}

static bool end_any_frame(const struct hotpath_span *span, uint64_t now, uintptr_t sp)
{
	struct thread *me = hotpath__ending_state(sp);
	const struct frame *frame = me ? hotpath__find_frame(me, span) : NULL;

	if (!frame)
		return false;
	hotpath__enter_busy(me, sp);
	hotpath__end_frame(me, frame, now);
	hotpath__leave_busy(me);
	return true;
}

/* End the frame of a function. If the exit was by a jump, sp is the caller's: all frames below that are abandoned
   too. */
static void leave(struct thread *me, const struct frame *frame, struct leaving leaving,
		  uint64_t now)
{
	uintptr_t height = leaving.sp - me->stack_low;

	hotpath__end_frame(me, frame, now);
	while (leaving.by_jump && me->top > me->frames && me->top->height < height)
		hotpath__abandon_top(me);
}

/* Whether the hot path could end the innermost call, but for its tally. */
static bool is_tallied(const struct thread *me, uintptr_t key)
{
	return me && me->busy == READY && me->top->key == (key | KEY_TALLIED) &&
	       me->top->start >= load(&me->fast_since, RELAXED);
}

/* End a call with a tally. The time for that is subtracted from the call around it. */
static void end_tallied(struct thread *me, uint64_t now, uintptr_t sp)
{
	hotpath__enter_busy(me, sp);
	hotpath__end_frame(me, me->top, now);
	me->top->lost += (hotpath__ticks() - now) << 8;
	hotpath__leave_busy(me);
}

void hotpath__end_slow(struct hotpath_span *span, uint64_t now, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (likely(is_tallied(me, (uintptr_t)span))) {
		end_tallied(me, now, sp);
		return;
	}
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

/* The frame of a function that is being left, if sp is on the stack that the frames are of. */
static const struct frame *find_left(struct thread *me, struct leaving leaving)
{
	bool ours = !hotpath__is_first(me) || hotpath__own_stack(me, leaving.sp);

	return ours ? hotpath__find_left(me, leaving) : NULL;
}

/* There may be a stray and a frame of this function: the one that is closer to the present stack pointer is ended. */
void hotpath__exit_slow(uintptr_t function, uintptr_t sp, bool by_jump, uint64_t now)
{
	struct leaving leaving = { function, sp, by_jump };
	struct thread *me = hotpath__me;

	if (is_tallied(me, leaving.function) &&
	    hotpath__is_left(me->top, leaving, leaving.sp - me->stack_low)) {
		end_tallied(me, now, leaving.sp);
		return;
	}
	if (hotpath__is_locking())
		return;
	if (hotpath__state() == STATE_HANDED_OVER) {
		/* The receiver compares the second and the last argument; if they are equal, the exit was by a
		   jump. */
		hotpath__recorder->other->function_exit(leaving.function, leaving.by_jump,
							leaving.sp, true);
		return;
	}
	if (hotpath__monotonic)
		now = hotpath__monotonic_ns();
	me = hotpath__ending_state(leaving.sp);
	if (!me)
		return;
	hotpath__enter_busy(me, leaving.sp);
	const struct frame *frame = find_left(me, leaving);
	uintptr_t reach = frame ? hotpath__distance(frame->height + me->stack_low, leaving)
				: UINTPTR_MAX;
	if (!hotpath__stray_exit(me, leaving, now, reach) && frame)
		leave(me, frame, leaving, now);
	hotpath__leave_busy(me);
}

void hotpath__begin_unknown(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp)
{
	if (unlikely(!hotpath__is_idle()))
		hotpath__begin_slow(span, site, sp);
}

void hotpath__end_unknown(struct hotpath_span *span)
{
	if (unlikely(!hotpath__is_idle()))
		hotpath__end_slow(span, hotpath__ticks(), hotpath__stack_pointer());
}

ALIGNS_STACK void hotpath__enter_unknown(uintptr_t function, uintptr_t sp, uintptr_t from)
{
	if (unlikely(!hotpath__is_idle()))
		hotpath__enter_slow(function, sp, from);
}

void hotpath__exit_unknown(uintptr_t function, uintptr_t sp, bool by_jump)
{
	if (unlikely(!hotpath__is_idle()))
		hotpath__exit_slow(function, sp, by_jump, hotpath__ticks());
}
