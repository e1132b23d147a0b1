/* SPDX-License-Identifier: MIT */
/* What a measured call costs: measured at the start, through the same functions and in the same memory. */
#include "recorder.h"

enum {
	ROUNDS = 8,
	CALLS = 500,
	STACK = 64 * 1024,
};

static struct hotpath_site site = { "<calibration>", NULL, 0, HP_SITE_CALIBRATION, 0, 0 };

__attribute__((noinline)) static void empty_call(void)
{
	struct hotpath_span span;

	hotpath_span_begin(&span, &site);
	hotpath_span_end(&span);
}

struct costs {
	/* Of a call as a whole; less what is done for many at once, which is taken off when it is done; and
	   what of it is between the two readings of the clock. */
	uint64_t whole, span, inner;
};

/* What the calls of one round cost, in 1/256 ticks. */
static struct costs measure_round(struct thread *me, struct hp_stat *stat)
{
	uint64_t lost, start, inside;

	hotpath__flush(me, stat);
	inside = stat->total;
	lost = me->top->lost;
	start = hotpath__ticks();
	for (int i = 0; i < CALLS; i++)
		empty_call();
	uint64_t whole = (hotpath__ticks() - start) << 8;
	uint64_t flushing = me->top->lost - lost;
	hotpath__flush(me, stat);
	inside = (stat->total - inside) << 8;
	return (struct costs){ whole / CALLS, hotpath__less(whole, flushing) / CALLS,
			       inside / CALLS };
}

/* The quickest of some rounds: the cost when nothing interferes. */
static struct costs quickest(struct thread *me, struct hp_stat *stat)
{
	struct costs least = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

	for (int i = 0; i < ROUNDS; i++) {
		struct costs costs = measure_round(me, stat);
		if (costs.whole < least.whole)
			least = costs;
	}
	return least;
}

static void set_costs(struct recorder *recorder, struct costs costs)
{
	struct guard guard;

	hotpath__lock(&guard);
	hotpath__header()->span_cost = costs.whole;
	recorder->span_cost = costs.span;
	recorder->inner_cost = costs.inner;
	for (struct thread *thread = recorder->threads; thread; thread = thread->next) {
		store(&thread->span_cost, costs.span, RELAXED);
		store(&thread->inner_cost, costs.inner, RELAXED);
	}
	hotpath__unlock(&guard);
}

static struct costs measure(struct thread *me, struct hp_stat *stat)
{
	uintptr_t low = me->stack_low, height = me->frames[0].height;

	/* Whatever stack this is, as if it were the thread's own. */
	me->stack_low = hotpath__stack_pointer() - STACK;
	me->frames[0].height = (uintptr_t)STACK * 2;
	struct costs costs = quickest(me, stat);
	me->stack_low = low;
	me->frames[0] = (struct frame){ .height = height, .branch = &me->root };
	return costs;
}

void hotpath__calibrate(struct recorder *recorder)
{
	/* Stays in a forked child, where it is the same. */
	static struct costs known;
	struct thread *me = hotpath__enter(hotpath__stack_pointer());
	uint32_t id = me ? hotpath__site_id(&site) : 0;
	struct hp_stat *stat = id ? hotpath__stat(me, id) : NULL;

	if (!stat || me->top > me->frames)
		return;
	if (!known.whole)
		known = measure(me, stat);
	set_costs(recorder, known);
}
