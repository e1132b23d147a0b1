/* SPDX-License-Identifier: MIT */
/*
 * Strays: calls that begin on another stack than the thread's own, such as a coroutine's or an alternate
 * signal stack.
 *
 * Where those stacks begin and end is not known, nor when the program switches between them. So strays
 * are kept apart from the frames, may end in any order and on any thread, and nest only when they are so
 * close together that they must be on one stack. The table is small: of more strays at once the oldest
 * are forgotten, which costs them their nesting and nothing else.
 *
 * A signal handler on its own stack runs while the innermost frame waits: its strays count as inside that.
 * A coroutine's do not, for they go on while others run.
 *
 * A stray is in the table of the thread that began it. Its fields are filled first and its span stored
 * last (RELEASE); whoever ends it, on whatever thread, first takes the span out (ACQUIRE): of two that
 * try, one gets it.
 */
#include "recorder.h"

enum {
	/* Closer together than the smallest stacks that are in use. */
	REACH = 12 * 1024,
};

struct frame *hotpath__stray_around(struct thread *me, uintptr_t sp)
{
	uintptr_t closest = REACH;
	struct frame *around = NULL;

	for (unsigned i = 0; i < STRAYS; i++) {
		struct frame *stray = &me->strays[i];
		if (load(&stray->span, RELAXED) && stray->height >= sp &&
		    stray->height - sp <= closest) {
			closest = stray->height - sp;
			around = stray;
		}
	}
	return around;
}

/* Of a recursive function only the outermost call counts in the total. */
static bool is_nested(const struct frame *stray, uint32_t site)
{
	const struct frame *around = stray->around;

	for (unsigned i = 0; around && i < STRAYS; around = load(&around->around, RELAXED), i++)
		if (load(&around->span, RELAXED) && load(&around->stat, RELAXED)->site == site)
			return true;
	return false;
}

static bool take(struct frame *stray, const struct hotpath_span *span)
{
	struct hotpath_span *expected = (struct hotpath_span *)(uintptr_t)span;

	return __atomic_compare_exchange_n(&stray->span, &expected, NULL, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static bool is_mine(const struct thread *me, const struct frame *stray)
{
	return stray >= me->strays && stray < me->strays + STRAYS;
}

/* Whatever is around a stray has so much less time of its own. */
static void tell_around(struct thread *me, const struct frame *stray, uint64_t duration,
			uint64_t lost)
{
	if (stray->around) {
		fetch_add(&stray->around->children, duration, RELAXED);
		fetch_add(&stray->around->lost, lost, RELAXED);
	} else if (stray->interrupted && is_mine(me, stray)) {
		stray->interrupted->children += duration;
		stray->interrupted->lost += lost;
	}
}

/* End a stray that was taken, on this thread, whose ever it was. */
static void end(struct thread *me, const struct frame *stray, uint64_t now)
{
	uint32_t site = stray->stat->site;
	struct hp_stat *stat = hotpath__stat(me, site);
	uint64_t lost = load(&stray->lost, RELAXED);
	uint64_t duration = hotpath__duration(me, stray->start, now, lost);

	tell_around(me, stray, duration, lost + me->span_cost);
	if (!stat) {
		add(&me->lane->counters[HP_COUNTER_functions], 1);
		return;
	}
	store(&stat->open, stat->open - 1, RELAXED);
	if (stray->start < load(&me->session_start, RELAXED))
		return;
	struct call call = { now, duration, duration - load(&stray->children, RELAXED),
			     is_nested(stray, site) };
	hotpath__count_call(me, stat, call, stray);
}

/* Its span is begun again: it was left without a word, and lasted at least as long as the calls inside. */
static void abandon(struct thread *me, struct frame *stray, const struct hotpath_span *span)
{
	if (!take(stray, span))
		return;
	add(&me->lane->counters[HP_COUNTER_abandoned], 1);
	end(me, stray, stray->start + stray->children + ((stray->lost + me->inner_cost) >> 8));
}

static struct frame *find(struct thread *me, const struct hotpath_span *span)
{
	for (unsigned i = 0; i < STRAYS; i++)
		if (load(&me->strays[i].span, RELAXED) == span)
			return &me->strays[i];
	return NULL;
}

/* A place for one more: an unused one, or that of the oldest. */
static struct frame *place(struct thread *me)
{
	struct frame *unused = find(me, NULL);

	if (unused)
		return unused;
	struct frame *oldest = &me->strays[me->next_stray++ % STRAYS];
	store(&oldest->span, NULL, RELAXED);
	return oldest;
}

void hotpath__stray_begin(struct thread *me, struct hp_stat *stat, struct hotpath_span *span,
			  uintptr_t sp)
{
	struct frame *again = find(me, span);

	if (again)
		abandon(me, again, span);
	struct frame *stray = place(me), *around = hotpath__stray_around(me, sp);
	store(&stray->stat, stat, RELAXED);
	store(&stray->children, 0, RELAXED);
	store(&stray->lost, 0, RELAXED);
	store(&stray->around, around == stray ? NULL : around, RELAXED);
	stray->interrupted = !around && hotpath__on_signal_stack() ? me->top : NULL;
	stray->height = sp;
	span->token = hotpath__token(span, TOKEN_STRAY);
	span->site = stat->site;
	span->holder = stray;
	store(&stat->open, stat->open + 1, RELAXED);
	stray->start = span->start = hotpath__ticks();
	store(&stray->span, span, RELEASE);
}

void hotpath__stray_end(struct thread *me, struct hotpath_span *span, uint64_t now)
{
	struct frame *stray = span->holder;

	if (!is_mine(me, stray))
		add(&me->lane->counters[HP_COUNTER_detached], 1);
	if (take(stray, span) && stray->start == span->start)
		end(me, stray, now);
	else
		hotpath__end_alone(me, span, now);
}
