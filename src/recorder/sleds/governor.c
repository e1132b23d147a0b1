/* SPDX-License-Identifier: MIT */
/*
 * Each thread looks at itself, when it flushes calls and its last look is some milliseconds ago: what has measuring cost since
 * then, by the profiler's own bill, and how long would the program have taken without? If that is more than the budget, the
 * functions with the most calls are counted, one after the other, until those that are still timed take half of it; and while
 * counting takes more than the other half, those with the most calls are not measured.
 */
#include "governor.h"

#include "atomic.h"
#include "calls/sites.h"
#include "cpu/sampler.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/settings.h"
#include "sleds.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
	/* The time between two looks of a thread, and between two at all functions. */
	LOOK_MS = 2,
	UPDATE_MS = 100,
	/* After this time it is assumed that calls which had begun have ended; their exits are disarmed. */
	SETTLE_MS = 5,
	/* A function is timed again after this time, then after twice that, and so on, up to a minute; until it was timed for
	   so long without having been restrained. */
	RETURN_MS = 250,
	TRIES_MAX = 8,
	FORGIVEN_MS = 8000,
	/* What counting a call takes. */
	COUNT_NS = 8,
	/* Functions that are looked at each time, those with the most calls. */
	DEAREST = 64,
	/* A function whose calls take less than this part of the budget is left alone, as a divisor. */
	MATTERS = 64,
	/* What is carried over to the next look, at most, in budgets of one. */
	DEBT_MAX = 2,
	/* At least this part of the time is assumed to be the program's own, as a divisor. */
	OWN_SHARE = 32,
};

/* Functions by their sites; in memory that forked children inherit, like the code. */
static struct sled_function **functions[INDEX_PAGES];
/* When functions are next looked at that have settled, or may return. */
static uint64_t next_update;

/* A function and its calls since the last look. */
struct dear {
	struct sled_function *function;
	uint64_t calls;
};

struct bill {
	/* Ticks that timing and counting calls has cost, and that both may cost. */
	uint64_t timed;
	uint64_t counted;
	uint64_t allowed;
	/* What it takes to time a call, and to count it, in 1/256 ticks. */
	uint64_t timing;
	uint64_t counting;
	/* When the last look was. */
	uint64_t since;
	/* The functions with the most calls, these first. */
	struct dear dearest[DEAREST];
	unsigned count;
};

static uint64_t milliseconds(uint64_t number)
{
	return load(&hotpath__header()->ticks_per_second, RELAXED) * number / 1000;
}

/* ---- functions by sites ---- */

static struct sled_function *function_of(uint32_t site)
{
	struct sled_function **page = load(&functions[site / INDEX_PAGE], ACQUIRE);

	return page ? load(&page[site % INDEX_PAGE], RELAXED) : NULL;
}

bool hotpath__is_governed(uint32_t site)
{
	return function_of(site) != NULL;
}

struct hp_stat *hotpath__restrained_stat(const struct thread *me, uintptr_t pc)
{
	uint32_t site = hotpath__sled_site_at(pc);
	struct hp_stat **page = site ? me->index[site / INDEX_PAGE] : NULL;

	return page && hotpath__is_restrained(site) ? page[site % INDEX_PAGE] : NULL;
}

void hotpath__govern_function(struct sled_function *function, uint32_t site)
{
	struct sled_function ***page = &functions[site / INDEX_PAGE];

	if (!*page) {
		void *new = mmap(NULL, INDEX_PAGE * sizeof(**page), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (new == MAP_FAILED)
			return;
		/* Pairs with function_of: the page is empty, not undefined. */
		store(page, new, RELEASE);
	}
	function->site = site;
	store(&(*page)[site % INDEX_PAGE], function, RELAXED);
}

void hotpath__govern_no_more(const struct sled_function *function)
{
	if (function->site && function_of(function->site) == function)
		store(&functions[function->site / INDEX_PAGE][function->site % INDEX_PAGE], NULL,
		      RELAXED);
}

/* ---- what a function may do ---- */

static void note(const struct sled_function *function)
{
	static const uint32_t unmeasured[] = { [ENTRY_OFF] = HP_UNMEASURED_OFF,
					       [ENTRY_COUNTS] = HP_UNMEASURED_COUNTED,
					       [ENTRY_TIMES] = 0 };

	if (function->site)
		hotpath__site_unmeasured(function->site, unmeasured[function->allowed]);
}

static void allow(struct sled_function *function, enum sled_entry entry, uint64_t now)
{
	function->allowed = (uint8_t)entry;
	function->since = now;
	note(function);
}

void hotpath__govern_begin(const struct sled_function *function)
{
	if (!function->site)
		return;
	hotpath__site_measured(function->site);
	note(function);
}

/* A restrained function is timed again when it is time for that. One that was timed for long has a clean sheet. */
static void reconsider(struct sled_function *function, uint64_t now)
{
	/* Counters of two processors may differ. */
	uint64_t passed = hotpath__less(now, function->since);

	if (function->allowed == ENTRY_TIMES && passed > milliseconds(FORGIVEN_MS))
		function->tries = 0;
	if (function->allowed == ENTRY_TIMES || passed < milliseconds(RETURN_MS) << function->tries)
		return;
	if (function->tries < TRIES_MAX)
		function->tries++;
	allow(function, ENTRY_TIMES, now);
}

/* Calls that have begun are to end by themselves; if there is nobody who looks again later, they do not. */
static bool settles(const struct sled_function *function, uint64_t now)
{
	return function->now.exits && hotpath__settings()->max_overhead &&
	       hotpath__less(now, function->since) < milliseconds(SETTLE_MS);
}

struct sled_arms hotpath__governed_arms(struct sled_function *function, uint64_t now)
{
	/* Before there is a segment, the clock is not known, and nothing is restrained. */
	bool is_clock_known = hotpath__recorder->base;

	if (is_clock_known)
		reconsider(function, now);
	uint8_t entry = function->is_asked ? function->allowed : ENTRY_OFF;
	return (struct sled_arms){ entry, entry == ENTRY_TIMES ||
						  (is_clock_known && settles(function, now)) };
}

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

/* Whether calls of a function take so long that timing them stays within the budget, however many there are. */
static bool is_long(const struct bill *bill, const struct hp_stat *stat)
{
	uint64_t total = stat->total + stat->nested;

	return total / 100 * hotpath__settings()->max_overhead >=
	       ticks_for(stat->flushed, bill->timing);
}

static void look_at(struct bill *bill, struct hp_stat *stat)
{
	struct sled_function *function = function_of(stat->site);
	uint64_t all = stat->calls + stat->counted;
	uint64_t calls = all - stat->flow[HP_CALL_GOVERNED];
	/* What a function allocates is known by its calls. */
	if (!function || !calls || stat->alloc)
		return;

	store(&stat->flow[HP_CALL_GOVERNED], all, RELAXED);
	if (function->allowed == ENTRY_COUNTS)
		bill->counted += ticks_for(calls, bill->counting);
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
	uint64_t passed = hotpath__less(cpu_ticks(), me->governed.cpu);

	bill->count = 0;
	bill->counted = 0;
	bill->timed = hotpath__less(me->lane->cost, me->governed.cost) + me->governed.debt;
	bill->timing = load(&me->span_cost, RELAXED);
	bill->counting = hotpath__header()->ticks_per_second * COUNT_NS * 256 / 1000000000;
	bill->since = me->governed.since;
	for (uint64_t at = me->lane->stats; at;) {
		struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
		look_at(bill, stat);
		at = stat->next;
	}
	uint64_t cost = bill->timed + bill->counted;
	uint64_t own = passed > cost ? passed - cost : 0;
	if (own < passed / OWN_SHARE)
		own = passed / OWN_SHARE;
	bill->allowed = own * hotpath__settings()->max_overhead / 100;
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
		allow(dear->function, ENTRY_COUNTS, now);
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
		allow(dear->function, ENTRY_OFF, now);
		bill->counted = hotpath__less(bill->counted,
					      ticks_for(dear->calls, bill->counting));
		changes++;
	}
	return changes;
}

/* Returns whether there is a change. */
static bool restrain_dearest(struct bill *bill, uint64_t now)
{
	if (bill->timed + bill->counted <= bill->allowed)
		return false;
	return count_dearest(bill, now) + stop_dearest(bill, now) > 0;
}

/* What it takes to change code is the profiler's, and not the time of the call around. */
static void charge(struct thread *me, uint64_t start)
{
	uint64_t taken = hotpath__ticks() - start;

	me->top->lost += taken << 8;
	add(&me->lane->cost, taken);
}

/* What was too much is to be saved later; but not more than what makes a difference now. */
static uint64_t debt_of(const struct bill *bill)
{
	uint64_t debt = hotpath__less(bill->timed + bill->counted, bill->allowed);

	return debt < bill->allowed * DEBT_MAX ? debt : bill->allowed * DEBT_MAX;
}

static void look(struct thread *me)
{
	/* Not on the stack, which may be that of a small signal handler; the lock is held while it is used. */
	static struct bill bill;
	struct guard guard;

	hotpath__lock(&guard);
	/* Later than any change by another thread. */
	uint64_t now = hotpath__ticks();
	take_bill(me, &bill);
	me->governed.debt = debt_of(&bill);
	bool restrained = restrain_dearest(&bill, now);
	if (restrained || now >= next_update) {
		hotpath__sleds_update(now);
		next_update = now + milliseconds(restrained ? SETTLE_MS : UPDATE_MS);
	}
	hotpath__unlock(&guard);
}

void hotpath__govern(struct thread *me)
{
	uint64_t now = hotpath__ticks();

	uint64_t cost = me->lane->cost;

	if (hotpath__settings()->max_overhead && me->governed.due) {
		look(me);
		charge(me, now);
	}
	me->governed.since = hotpath__ticks();
	me->governed.due = me->governed.since + milliseconds(LOOK_MS);
	me->governed.cpu = cpu_ticks();
	me->governed.cost = cost;
}
