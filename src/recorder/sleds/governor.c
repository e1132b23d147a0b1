/* SPDX-License-Identifier: MIT */
/*
 * Each thread looks at itself, when it flushes calls and has spent much since its last look, or that is some milliseconds ago:
 * what has measuring cost since then, by the profiler's own bill, and how long would the program have taken without? If that is
 * more than the budget, the functions with the most calls are counted, one after the other, until those that are still timed take
 * half of it; and while counting takes more than the other half, those with the most calls are not measured. Programs go from one
 * phase to the next, with other functions, which are all timed at first: so a look must come soon, and what such a beginning has
 * cost is saved later.
 */
#include "governor.h"

#include "atomic.h"
#include "cpu/sampler.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/settings.h"
#include "restraint.h"
#include "waking.h"

#include <time.h>

enum {
	/* A thread asks so many times in a millisecond whether it is to look: as soon as it has spent the budget of so long a
	   time, and after this time in any case. */
	ASKS_IN_MS = 2,
	SPENT_MS = 2,
	LOOK_MS = 8,
	/* A look takes this part of the time at most, as a divisor, if there is nothing that it could do. */
	LOOK_SHARE = 16,
	/* The time between two looks at all functions. */
	UPDATE_MS = 100,
	/* What counting a call takes, and an exit that ends nothing. */
	COUNT_NS = 8,
	IDLE_NS = 3,
	/* Functions that are looked at each time, those with the most calls. */
	DEAREST = 64,
	/* A function whose calls take less than this part of the budget is left alone, as a divisor. */
	MATTERS = 64,
	/* What was spent too much is saved later, by half of what may be spent then; but not more than the budget of so long a
	   time. */
	DEBT_MS = 50,
	/* At least this part of the time is assumed to be the program's own, as a divisor: what calls really take is not known
	   well as long as most of them are timed. */
	OWN_SHARE = 8,
};

/* When functions are next looked at that have settled, or may return; and what the last update has left open. Changed with the lock
   held. */
static uint64_t next_update;
static struct unsettled unsettled;

/* A function and its calls since the last look. */
struct dear {
	struct sled_function *function;
	uint64_t calls;
};

struct bill {
	/* Ticks that timing and counting calls has cost; what may be spent, and what of that after what was too much before. */
	uint64_t timed;
	uint64_t counted;
	uint64_t budget;
	uint64_t allowed;
	/* What it takes to time a call, and to count it, in 1/256 ticks. */
	uint64_t timing;
	uint64_t counting;
	/* Exits that ended nothing, of functions that are not even counted, and what each takes. */
	uint64_t idle;
	uint64_t idling;
	/* When the last look was. */
	uint64_t since;
	/* The functions with the most calls, these first. */
	struct dear dearest[DEAREST];
	unsigned count;
};

/* ---- what it costs ---- */

static void note_dear(struct bill *bill, struct sled_function *function, uint64_t calls)
{
	unsigned at = bill->count;

	if (at == DEAREST && calls <= bill->dearest[at - 1].calls)
		return;
	bill->count += at < DEAREST;
	at = bill->count - 1;
	for (; at && bill->dearest[at - 1].calls < calls; at--)
		bill->dearest[at] = bill->dearest[at - 1];
	bill->dearest[at] = (struct dear){ function, calls };
}

/* Ticks that so many calls cost. */
static uint64_t ticks_for(uint64_t calls, uint64_t each)
{
	return calls * each >> 8;
}

/* So many nanoseconds, in 1/256 ticks. */
static uint64_t taking(uint64_t ns)
{
	return load(&hotpath__header()->ticks_per_second, RELAXED) * ns * 256 / 1000000000;
}

/* What measuring may cost in a time of the program's own, by our bill. That lacks what the program loses because caches and the
   processor's predictions are ours for a while: about half as much again in programs of many short functions. */
static uint64_t budget_of(uint64_t own)
{
	return own / 150 * hotpath__settings()->max_overhead;
}

/* Whether calls of a function take so long, without what they call, that timing them stays within the budget, however many there
   are. If it is only what they call that takes long, each level of calls around that would cost as much. */
static bool is_long(const struct bill *bill, const struct hp_stat *stat)
{
	return budget_of(stat->self) >= ticks_for(stat->flushed, bill->timing);
}

/* Where a call is in progress, exits of the others end nothing. */
static void count_counted(struct bill *bill, const struct sled_function *function, uint64_t calls)
{
	uint64_t idling = function->now.exits ? bill->idling : 0;

	bill->counted += ticks_for(calls, bill->counting + idling);
	if (idling)
		bill->idle = hotpath__less(bill->idle, calls);
}

static void look_at(struct bill *bill, struct hp_stat *stat)
{
	struct sled_function *function = hotpath__governed_at(stat->site);
	uint64_t all = stat->calls + stat->counted;
	uint64_t calls = all - stat->flow[HP_CALL_GOVERNED];
	/* What a function allocates is known by its calls. */
	if (!function || !calls || stat->alloc)
		return;

	store(&stat->flow[HP_CALL_GOVERNED], all, RELAXED);
	if (function->allowed == ENTRY_COUNTS)
		count_counted(bill, function, calls);
	if (!is_long(bill, stat))
		note_dear(bill, function, calls);
}

/* CPU time of this thread, in ticks: while it waits, nothing may be spent. */
static uint64_t cpu_ticks(void)
{
	uint64_t ns = hotpath__cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t rate = load(&hotpath__header()->ticks_per_second, RELAXED);

	return ns / 1000000000 * rate + ns % 1000000000 * rate / 1000000000;
}

static void take_bill(struct thread *me, struct bill *bill)
{
	bill->count = 0;
	bill->counted = 0;
	bill->timed = hotpath__less(me->lane->cost, me->governed.cost) + me->governed.look;
	bill->timing = load(&me->span_cost, RELAXED);
	bill->counting = taking(COUNT_NS);
	bill->idle = me->governed.idle;
	bill->idling = taking(IDLE_NS);
	bill->since = me->governed.since;
	for (uint64_t at = me->lane->stats; at;) {
		struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
		look_at(bill, stat);
		at = stat->next;
	}
}

/* What may be spent until the next look, if the program does the same: what was spent too much before comes off. */
static void find_allowed(struct thread *me, struct bill *bill, uint64_t cpu)
{
	uint64_t passed = hotpath__less(cpu, me->governed.cpu) + me->governed.look;
	uint64_t spent = bill->timed + bill->counted + ticks_for(bill->idle, bill->idling);
	uint64_t own = hotpath__less(passed, spent);

	if (own < passed / OWN_SHARE)
		own = passed / OWN_SHARE;
	bill->budget = budget_of(own);
	uint64_t debt = hotpath__less(me->governed.debt + spent, bill->budget);
	uint64_t most = budget_of(hotpath__milliseconds(DEBT_MS)), half = bill->budget / 2;
	me->governed.debt = debt < most ? debt : most;
	bill->allowed = bill->budget - (debt < half ? debt : half);
}

/* Count the calls of those that are timed, from the one with the most on, while timing takes more than half of the budget.
   Returns how many became so. */
static unsigned count_dearest(struct bill *bill, uint64_t now)
{
	unsigned changes = 0;

	for (unsigned i = 0; i < bill->count && bill->timed > bill->allowed / 2; i++) {
		const struct dear *dear = &bill->dearest[i];
		uint64_t cost = ticks_for(dear->calls, bill->timing);
		bool is_done = dear->function->allowed != ENTRY_TIMES;
		if (cost < bill->allowed / MATTERS)
			break;
		/* If another thread has restrained it since the last look, some of these calls were timed. */
		if (is_done && dear->function->since < bill->since)
			continue;
		bill->timed = hotpath__less(bill->timed, cost);
		if (is_done)
			continue;
		hotpath__allow(dear->function, ENTRY_COUNTS, now);
		bill->counted += ticks_for(dear->calls, bill->counting);
		changes++;
	}
	return changes;
}

/* Whether a function has just become one that is counted, and was never restrained before: as long as it was timed, nobody
   could tell how long the rest takes. */
static bool is_new(const struct sled_function *function, uint64_t now)
{
	return function->since == now && !function->tries;
}

/* The same for those that are counted, which are not measured then. */
static unsigned stop_dearest(struct bill *bill, uint64_t now)
{
	unsigned changes = 0;

	for (unsigned i = 0; i < bill->count && bill->counted > bill->allowed / 2; i++) {
		const struct dear *dear = &bill->dearest[i];
		if (dear->function->allowed != ENTRY_COUNTS || is_new(dear->function, now))
			continue;
		hotpath__allow(dear->function, ENTRY_OFF, now);
		bill->counted = hotpath__less(bill->counted,
					      ticks_for(dear->calls, bill->counting));
		changes++;
	}
	return changes;
}

/* Returns whether there is a change. */
static bool restrain_dearest(struct bill *bill, uint64_t now)
{
	return count_dearest(bill, now) + stop_dearest(bill, now) > 0;
}

/* Whether exits that stay armed for calls in progress take too much. What was spent before is saved elsewhere: exits that have
   gone are of no use when they come back. */
static bool waits_too_long(const struct bill *bill)
{
	return unsettled.waits && ticks_for(bill->idle, bill->idling) > bill->budget / 2;
}

static void update(uint64_t now, bool restrained, bool is_too_long)
{
	unsettled = hotpath__update_functions(now, is_too_long);
	uint64_t later = hotpath__milliseconds(restrained	? SETTLE_MS
					       : unsettled.soon ? SETTLE_OPEN_MS
								: UPDATE_MS);
	store(&next_update, now + later, RELAXED);
}

/* Returns whether that was of use: measuring is within the budget, or something was done for that. */
static bool look(struct thread *me, uint64_t cpu)
{
	/* Not on the stack, which may be that of a small signal handler; the lock is held while it is used. */
	static struct bill bill;
	struct guard guard;

	hotpath__lock(&guard);
	/* Later than any change by another thread. */
	uint64_t now = hotpath__ticks();
	take_bill(me, &bill);
	find_allowed(me, &bill, cpu);
	bool is_cheap = bill.timed + bill.counted <= bill.allowed;
	bool restrained = !is_cheap && restrain_dearest(&bill, now);
	bool is_too_long = waits_too_long(&bill);
	bool is_useful = restrained || is_too_long;
	if (is_useful || now >= next_update)
		update(now, restrained, is_too_long);
	hotpath__unlock(&guard);
	return is_cheap || is_useful;
}

/* Whether much was spent since the last look, or that was long ago. */
static bool is_time(const struct thread *me, uint64_t now)
{
	uint64_t spent = hotpath__less(me->lane->cost, me->governed.cost) +
			 ticks_for(me->governed.counted, taking(COUNT_NS)) +
			 ticks_for(me->governed.idle, taking(IDLE_NS));

	return spent >= budget_of(hotpath__milliseconds(SPENT_MS)) ||
	       now >= load(&next_update, RELAXED) ||
	       hotpath__less(now, me->governed.since) >= hotpath__milliseconds(LOOK_MS);
}

/* The time that a look took is not that of the call around. Of its cost, the CPU time counts: the rest is other programs'. */
static void charge(struct thread *me, uint64_t start, uint64_t cpu)
{
	me->governed.look = hotpath__less(cpu_ticks(), cpu);
	me->top->lost += (hotpath__ticks() - start) << 8;
	add(&me->lane->cost, me->governed.look);
}

static void begin_anew(struct thread *me)
{
	me->governed.since = hotpath__ticks();
	me->governed.cpu = cpu_ticks();
	me->governed.cost = me->lane->cost;
	me->governed.counted = 0;
	me->governed.idle = 0;
}

/* When to ask again: later if it is of no use, and takes long. */
static uint64_t next_ask(const struct thread *me, bool is_useful)
{
	uint64_t soon = hotpath__milliseconds(1) / ASKS_IN_MS,
		 later = me->governed.look * LOOK_SHARE;

	return is_useful || later < soon ? soon : later;
}

/* Functions return in updates, which come at their own times. */
static void wake_later(struct thread *me)
{
	uint64_t returns = hotpath__next_return(), updates = load(&next_update, RELAXED);

	if (returns)
		hotpath__wake_at(me, returns > updates ? returns : updates);
}

/* Before the first look, it is not known what was spent in which time. */
void hotpath__govern(struct thread *me)
{
	uint64_t now = hotpath__ticks();
	bool is_first = !me->governed.due, is_useful = true;

	if (!is_first && hotpath__settings()->max_overhead && is_time(me, now)) {
		uint64_t cpu = cpu_ticks();
		is_useful = look(me, cpu);
		charge(me, now, cpu);
		begin_anew(me);
	}
	if (is_first)
		begin_anew(me);
	me->governed.due = now + next_ask(me, is_useful);
	wake_later(me);
}
