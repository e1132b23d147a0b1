/* SPDX-License-Identifier: MIT */
/* Measures what a measured call costs, before the first one, with the same functions and data as real calls. */
#include "counting.h"

#include "process/clock.h"
#include "process/lanes.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/setup_time.h"
#include "sites.h"
#include "sleds/sled_calls.h"
#include "stack.h"

#include <errno.h>
#include <signal.h>

enum {
	/* The most rounds, and the calls of each, which flush twice. A counter with fewer ticks a second than FINE needs
	   more calls, because one tick is a larger part of a round. */
	ROUNDS = 16,
	CALLS = HP_FLUSH * 2,
	FINE = 500 * 1000 * 1000,
	STACK = 64 * 1024,
	/* Steps of work in a call: some nanoseconds, and a few times as long. */
	SHORT = 5,
	LONG = 20,
};

static struct hotpath_site site = { "<calibration>", NULL, 0, HP_SITE_CALIBRATION, 0, 0 };

/* Each step needs the result of the one before, so that they cannot be executed at the same time. */
__attribute__((always_inline)) static inline uint64_t work(uint64_t number, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		number = number * number + 3;
	return number;
}

__attribute__((noinline)) static uint64_t plain_call(uint64_t number, unsigned steps)
{
	number = work(number, steps);
	/* Keeps the compiler from removing the work. */
	__asm__ volatile("" : "+r"(number));
	return number;
}

__attribute__((noinline)) static uint64_t measured_call(uint64_t number, unsigned steps)
{
	struct hotpath_span span;

	hotpath_span_begin(&span, &site);
	number = work(number, steps);
	__asm__ volatile("" : "+r"(number));
	hotpath_span_end(&span);
	return number;
}

/* How long so many calls take, in 1/256 ticks per call; each needs the result of the one before. */
static uint64_t time_calls(uint64_t (*call)(uint64_t number, unsigned steps), unsigned steps,
			   unsigned calls)
{
	uint64_t start = hotpath__ticks(), number = 1;

	for (unsigned i = 0; i < calls; i++)
		number = call(number, steps);
	__asm__ volatile("" : : "r"(number));
	return ((hotpath__ticks() - start) << 8) / calls;
}

struct costs {
	/* In 1/256 ticks. whole: the full cost of a call; span: without flushing, which is subtracted when it
	   happens; inner: the part between the two readings of the clock, which may be negative. */
	uint64_t whole, span, inner;
	/* What takes place in the two functions, as it is timed with a flush. */
	uint64_t timed;
	/* Half of what a call with sleds takes longer: to keep the registers once. */
	uint64_t keeping;
};

/* The result of a round, in 1/256 ticks per call. */
struct round {
	uint64_t whole, flushing, inside, timed;
};

static struct round measure_round(struct thread *me, struct hp_stat *stat, unsigned steps,
				  unsigned calls)
{
	hotpath__flush(me, stat);
	uint64_t inside = stat->total, lost = me->top->lost;
	me->timed_sum = me->timed = 0;
	uint64_t whole = time_calls(measured_call, steps, calls);
	uint64_t flushing = me->top->lost - lost;
	hotpath__flush(me, stat);
	return (struct round){ whole, flushing / calls, ((stat->total - inside) << 8) / calls,
			       me->timed ? (me->timed_sum << 8) / me->timed : 0 };
}

/* The times of the quickest rounds. */
struct quickest {
	uint64_t first, second, third;
};

static void note_time(struct quickest *quickest, uint64_t time)
{
	if (time < quickest->first)
		*quickest = (struct quickest){ time, quickest->first, quickest->second };
	else if (time < quickest->second)
		*quickest = (struct quickest){ quickest->first, time, quickest->second };
	else if (time < quickest->third)
		quickest->third = time;
}

/* Whether three rounds took the same time, but for 3 %: then nothing has disturbed them. */
static bool is_certain(const struct quickest *quickest)
{
	return quickest->third - quickest->first <= quickest->first / 32;
}

/* The cost of measuring calls, without their work: the difference between the quickest of several rounds with and
   without measuring. */
static struct costs cost_of_calls(struct thread *me, struct hp_stat *stat, unsigned steps,
				  unsigned calls)
{
	struct quickest plain = { UINT64_MAX, UINT64_MAX, UINT64_MAX }, measured = plain;
	struct round least = { 0, 0, 0, 0 };
	uint64_t timed = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		if (i && is_certain(&plain) && is_certain(&measured))
			break;
		note_time(&plain, time_calls(plain_call, steps, calls));
		struct round round = measure_round(me, stat, steps, calls);
		if (round.whole < measured.first)
			least = round;
		note_time(&measured, round.whole);
		if (round.timed < timed)
			timed = round.timed;
	}
	return (struct costs){ hotpath__less(least.whole, plain.first),
			       hotpath__less(least.whole, plain.first + least.flushing),
			       least.inside - plain.first, timed, 0 };
}

/* The mean of two lengths of work. Empty calls would be misleading: the readings of the clock would have nothing
   to wait for. */
static struct costs mean_costs(struct thread *me, struct hp_stat *stat)
{
	unsigned calls = hotpath__header()->ticks_per_second < FINE ? CALLS * 4 : CALLS;
	struct costs one = cost_of_calls(me, stat, SHORT, calls);
	struct costs other = cost_of_calls(me, stat, LONG, calls);

	return (struct costs){ (one.whole + other.whole) / 2, (one.span + other.span) / 2,
			       (uint64_t)((int64_t)(one.inner + other.inner) / 2),
			       (one.timed + other.timed) / 2, 0 };
}

static void set_costs(struct recorder *recorder, struct costs costs)
{
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__header()->span_cost = costs.whole;
	recorder->span_cost = costs.span;
	recorder->inner_cost = costs.inner;
	recorder->keeping_cost = costs.keeping;
	/* Without the counter there is no hot path that could be timed. */
	if (costs.timed)
		recorder->followed_cost = (struct followed_cost){ .base = costs.timed,
								  .most = costs.timed >> 8 << 4 };
	for (struct thread *thread = recorder->threads; thread; thread = thread->next) {
		store(&thread->span_cost, costs.span, RELAXED);
		store(&thread->inner_cost, costs.inner, RELAXED);
		store(&thread->keeping_cost, costs.keeping, RELAXED);
	}
	hotpath__unlock(&guard);
}

/* The time for which an exit with a sled keeps the registers of a program, in 1/256 ticks: the least of some rounds. An entry takes as
   long. */
static uint64_t cost_of_keeping(struct thread *me)
{
	uint64_t least = UINT64_MAX;

	me->governed.idle = 0;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = hotpath__ticks();
		hotpath__keep_registers(CALLS);
		uint64_t time = ((hotpath__ticks() - start) << 8) / CALLS;
		least = time < least ? time : least;
	}
	return least;
}

static struct costs measure(struct thread *me, struct hp_stat *stat)
{
	uintptr_t low = me->stack_low;
	struct frame first = me->frames[0];

	/* Pretend that the present stack is the thread's own, whichever it is, so that the calls take the hot
	   path. */
	me->stack_low = hotpath__stack_pointer() - STACK;
	me->frames[0].height = (uintptr_t)STACK * 2;
	uint64_t cost = me->lane->cost, calls = me->lane->cost_calls;
	struct costs costs = mean_costs(me, stat);
	costs.keeping = cost_of_keeping(me);
	store(&me->lane->cost, cost, RELAXED);
	store(&me->lane->cost_calls, calls, RELAXED);
	me->governed = (struct governed){ 0 };
	me->stack_low = low;
	me->frames[0] = first;
	return costs;
}

/* Whether the recorder is not at work on this thread: it may have been interrupted by the code that comes here. */
static bool is_undisturbed(void)
{
	const struct thread *me = hotpath__own_state();

	return !hotpath__is_locking() && (!me || !me->busy || me->busy == READY);
}

static bool calibrate(struct recorder *recorder)
{
	/* Kept in a forked child, where the costs are the same. */
	static struct costs known;
	struct thread *me = hotpath__enter(hotpath__stack_pointer());
	if (!me || me->top > me->frames)
		return false;
	uint32_t id = hotpath__site_id(&site);
	struct hp_stat *stat = id ? hotpath__stat(me, id) : NULL;

	if (stat && !known.whole)
		known = measure(me, stat);
	if (stat)
		set_costs(recorder, known);
	return true;
}

/* With signals blocked: a handler might leave by siglongjmp, and what is pretended meanwhile would stay. */
void hotpath__calibrate(struct recorder *recorder)
{
	uint64_t before = 0;
	int error = errno;

	if (!is_undisturbed())
		return;
	hotpath__mask(SIG_SETMASK, ALL_SIGNALS, &before);
	hotpath__setup_begins();
	if (!exchange(&recorder->knows_costs, true, RELAXED))
		store(&recorder->knows_costs, calibrate(recorder), RELAXED);
	hotpath__setup_ends();
	hotpath__mask(SIG_SETMASK, before, NULL);
	errno = error;
}
