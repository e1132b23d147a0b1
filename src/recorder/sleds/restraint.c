/* SPDX-License-Identifier: MIT */
#include "restraint.h"

#include "atomic.h"
#include "calls/sites.h"
#include "process/clock.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/settings.h"
#include "settling.h"
#include "sleds.h"

#include <sys/mman.h>

enum {
	/* A function is timed again after this time, then after twice that, and so on, up to a minute; until it was timed for
	   so long without having been restrained. */
	RETURN_MS = 250,
	TRIES_MAX = 8,
	FORGIVEN_MS = 8000,
};

/* Functions by their sites; in memory that forked children inherit, like the code. */
static struct sled_function **functions[INDEX_PAGES];
/* When the first of the functions that are restrained may be timed again; 0 when none is. Changed with the lock held, and at once:
   threads that look meanwhile without the lock would not be woken again. */
static uint64_t next_return;
/* The same, of those that an update has seen so far. */
static uint64_t first_return;
/* In the update that is made: what is left open, and whether exits that stay armed for calls in progress are too dear. */
static struct unsettled unsettled;
static bool is_too_long;

uint64_t hotpath__milliseconds(uint64_t number)
{
	return load(&hotpath__header()->ticks_per_second, RELAXED) * number / 1000;
}

/* ---- functions by sites ---- */

struct sled_function *hotpath__governed_at(uint32_t site)
{
	struct sled_function **page = load(&functions[site / INDEX_PAGE], ACQUIRE);

	return page ? load(&page[site % INDEX_PAGE], RELAXED) : NULL;
}

bool hotpath__is_governed(uint32_t site)
{
	return hotpath__governed_at(site) != NULL;
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
		/* Pairs with hotpath__governed_at: the page is empty, not undefined. */
		store(page, new, RELEASE);
	}
	function->site = site;
	store(&(*page)[site % INDEX_PAGE], function, RELAXED);
}

void hotpath__govern_no_more(const struct sled_function *function)
{
	if (function->site && hotpath__governed_at(function->site) == function)
		store(&functions[function->site / INDEX_PAGE][function->site % INDEX_PAGE], NULL,
		      RELAXED);
}

/* ---- what a function may do ---- */

void hotpath__note_allowed(const struct sled_function *function)
{
	static const uint32_t unmeasured[] = { [ENTRY_OFF] = HP_UNMEASURED_OFF,
					       [ENTRY_COUNTS] = HP_UNMEASURED_COUNTED,
					       [ENTRY_TIMES] = 0 };

	if (function->site)
		hotpath__site_unmeasured(function->site, unmeasured[function->allowed]);
}

void hotpath__allow(struct sled_function *function, enum sled_entry entry, uint64_t now)
{
	function->allowed = (uint8_t)entry;
	function->since = now;
}

void hotpath__govern_begin(struct sled_function *function, uint64_t now)
{
	function->tries = 0;
	if (function->site)
		hotpath__site_measured(function->site);
	hotpath__allow(function, ENTRY_TIMES, now);
}

static void note_return(uint64_t time)
{
	if (!first_return || time < first_return)
		first_return = time;
}

uint64_t hotpath__next_return(void)
{
	return load(&next_return, RELAXED);
}

/* A restrained function is timed again when it is time for that. One that was timed for long has a clean sheet. */
static void reconsider(struct sled_function *function, uint64_t now)
{
	/* Counters of two processors may differ. */
	uint64_t passed = hotpath__less(now, function->since);

	if (function->allowed == ENTRY_TIMES && passed > hotpath__milliseconds(FORGIVEN_MS))
		function->tries = 0;
	if (function->allowed == ENTRY_TIMES)
		return;
	uint64_t pause = hotpath__milliseconds(RETURN_MS) << function->tries;
	if (passed < pause) {
		note_return(function->since + pause);
		return;
	}
	if (function->tries < TRIES_MAX)
		function->tries++;
	hotpath__allow(function, ENTRY_TIMES, now);
}

/* Whether exits are to stay armed for calls in progress: unless that is too dear, and nothing tells how many calls there are. */
static bool may_wait(enum sled_entry entry, bool is_early)
{
	bool is_blind = entry == ENTRY_OFF;

	if (is_too_long && is_blind && !is_early)
		return false;
	unsettled.waits |= is_blind && !is_early;
	return true;
}

/*
 * Calls that have begun are to end by themselves: what is done in one whose end nobody sees is its caller's time from then on. If
 * there is nobody who looks again later, they do not.
 */
static bool settles(struct sled_function *function, enum sled_entry entry, uint64_t now)
{
	uint64_t passed = hotpath__less(now, function->since);
	bool is_early = passed < hotpath__milliseconds(SETTLE_OPEN_MS);
	bool is_watched = hotpath__settings()->max_overhead;
	bool is_open = true;

	if (!is_watched || passed >= hotpath__milliseconds(SETTLE_MS))
		is_open = hotpath__is_open_anywhere(function->site);
	if (is_watched && is_open && may_wait(entry, is_early)) {
		unsettled.soon |= is_early;
		return true;
	}
	function->exits_go = true;
	function->was_open = is_open;
	return false;
}

struct sled_arms hotpath__governed_arms(struct sled_function *function, uint64_t now)
{
	/* Before there is a segment, the clock is not known, and nothing is restrained. */
	bool is_clock_known = hotpath__recorder->base;

	function->exits_go = false;
	if (is_clock_known)
		reconsider(function, now);
	enum sled_entry entry = function->is_asked ? function->allowed : ENTRY_OFF;
	bool exits = entry == ENTRY_TIMES ||
		     (is_clock_known && function->now.exits && settles(function, entry, now));
	return (struct sled_arms){ (uint8_t)entry, exits };
}

struct unsettled hotpath__update_functions(uint64_t now, bool too_long)
{
	unsettled = (struct unsettled){ false, false };
	is_too_long = too_long;
	first_return = 0;
	hotpath__sleds_update(now);
	store(&next_return, first_return, RELAXED);
	is_too_long = false;
	return unsettled;
}
