/* SPDX-License-Identifier: MIT */
/*
 * Strays: calls that begin on another stack than the thread's own, such as a coroutine's or an alternate signal
 * stack.
 *
 * The bounds of those stacks are not known, nor when the program switches between them. So strays are kept apart from
 * the frames, and may end in any order and on any thread. They nest only if they belong to the same coroutine, where
 * that is known, or are so close together that they must be on one stack. The table is small: if there are more
 * strays at once, the oldest are forgotten, which only costs them their nesting.
 *
 * A signal handler on its own stack runs while the innermost frame is interrupted: its strays count as inside that
 * frame. Those of a coroutine do not, because they go on while other code runs.
 *
 * A stray is in the table of the thread that began it. Its fields are filled first, and its key is stored last
 * (RELEASE). The thread that ends it, which may be another one, first replaces the key by KEY_TAKEN (ACQUIRE): if two
 * try, one succeeds. When it stores 0 as the key, the entry is free again.
 */
#include "stray.h"

#include "branch.h"
#include "counting.h"
#include "memory/heap.h"
#include "process/clock.h"
#include "stack.h"

enum {
	/* Smaller than the smallest stacks that programs use, in bytes. */
	REACH = 12 * 1024,
};

/* The distance from this stack pointer up to a stray that may be around it; UINTPTR_MAX when it cannot be. */
static uintptr_t above(const struct stray *stray, uintptr_t sp, uint64_t fiber)
{
	uintptr_t distance = stray->sp - sp;
	bool same = fiber ? stray->fiber == fiber : distance <= REACH;

	return load(&stray->key, RELAXED) > KEY_TAKEN && stray->sp >= sp && same ? distance
										 : UINTPTR_MAX;
}

struct stray *hotpath__stray_around(struct thread *me, uintptr_t sp)
{
	uint64_t fiber = hotpath__fiber_at(me, sp);
	uintptr_t closest = UINTPTR_MAX;
	struct stray *around = NULL;

	for (unsigned i = 0; i < STRAYS; i++) {
		uintptr_t distance = above(&me->strays[i], sp, fiber);
		if (distance < closest) {
			closest = distance;
			around = &me->strays[i];
		}
	}
	return around;
}

/* Whether a stray is inside another one of the same function, whose total includes it. */
static bool is_nested(const struct stray *stray, uint32_t site)
{
	const struct stray *around = stray->around;

	for (unsigned i = 0; around && i < STRAYS; around = load(&around->around, RELAXED), i++)
		if (load(&around->key, RELAXED) > KEY_TAKEN &&
		    load(&around->branch, RELAXED)->stat->site == site)
			return true;
	return false;
}

static bool take(struct stray *stray, uintptr_t key)
{
	return __atomic_compare_exchange_n(&stray->key, &key, KEY_TAKEN, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void give_back(struct stray *stray)
{
	/* Pairs with the ACQUIRE in find, which looks for a free entry. */
	store(&stray->key, 0, RELEASE);
}

static bool is_mine(const struct thread *me, const struct stray *stray)
{
	return stray >= me->strays && stray < me->strays + STRAYS;
}

/* Subtract the stray's time from the exclusive time of the call around it. */
static void tell_around(struct thread *me, const struct stray *stray, uint64_t duration,
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

/* The branch to count a stray in. On another thread than its own, that is a branch directly below the root. */
static const struct branch *branch_of(struct thread *me, const struct stray *stray)
{
	const struct branch *branch = stray->branch;

	return is_mine(me, stray) ? branch : hotpath__branch(me, &me->root, branch->stat->site);
}

/* End a stray that this thread has taken; it may be another thread's. */
static void end(struct thread *me, struct stray *stray, uint64_t now)
{
	const struct branch *branch = branch_of(me, stray);
	uint64_t lost = load(&stray->lost, RELAXED);
	uint64_t probed = is_mine(me, stray) ? hotpath__stray_tally_lost(me, stray) : 0;
	uint64_t children = load(&stray->children, RELAXED);
	uint64_t duration = hotpath__duration(me, stray->start, now, lost + probed, children);

	tell_around(me, stray, duration, lost + me->span_cost);
	if (!branch) {
		add(&me->lane->counters[HP_COUNTER_functions], 1);
		return;
	}
	store(&branch->stat->open, branch->stat->open - 1, RELAXED);
	if (stray->start < load(&me->session_start, RELAXED))
		return;
	bool nested = is_nested(stray, branch->stat->site);
	if (is_mine(me, stray))
		hotpath__stray_tally_end(me, stray, nested);
	struct call call = { .end = now,
			     .duration = duration,
			     .self = hotpath__less(duration, children),
			     .flags = nested ? HP_CALL_NESTED | HP_CALL_SAME_NODE : 0 };
	hotpath__count_call(me, branch, call, stray);
}

/* End a taken stray that was left by longjmp: it lasted at least as long as the calls inside. */
static void abandon(struct thread *me, struct stray *stray)
{
	add(&me->lane->counters[HP_COUNTER_abandoned], 1);
	end(me, stray,
	    stray->start + stray->children + hotpath__ticks_of(stray->lost + me->inner_cost));
}

static struct stray *find(struct thread *me, uintptr_t key)
{
	for (unsigned i = 0; i < STRAYS; i++)
		/* ACQUIRE pairs with the RELEASE in give_back. */
		if (load(&me->strays[i].key, ACQUIRE) == key)
			return &me->strays[i];
	return NULL;
}

/* Whether a function that begins where another one is open shows that this was left: the same one, or both have sleds. */
static bool is_again(uintptr_t open, uintptr_t begins)
{
	return open == begins || (open & begins & KEY_SLED && open > KEY_TAKEN);
}

/* A stray that is still open and begins again, so that its first call must have been left by longjmp. */
static struct stray *find_again(struct thread *me, uintptr_t key, const struct hotpath_span *span,
				uintptr_t sp)
{
	if (span)
		return find(me, key);
	for (unsigned i = 0; me->function_strays && i < STRAYS; i++)
		if (me->strays[i].sp == sp && is_again(load(&me->strays[i].key, RELAXED), key))
			return &me->strays[i];
	return NULL;
}

/*
 * An entry for one more stray: a free one, or that of the oldest stray that no thread is just ending. A span that
 * loses its entry can still be counted by what the span itself holds; a function cannot, and is abandoned.
 */
static struct stray *place(struct thread *me)
{
	struct stray *unused = find(me, 0);

	if (unused)
		return unused;
	for (unsigned i = 0; i < STRAYS; i++) {
		struct stray *oldest = &me->strays[me->next_stray++ % STRAYS];
		uintptr_t key = load(&oldest->key, RELAXED);
		if (key == KEY_TAKEN || !take(oldest, key))
			continue;
		if (key & KEY_FUNCTION) {
			me->function_strays--;
			abandon(me, oldest);
		}
		return oldest;
	}
	return NULL;
}

static struct branch *branch_around(struct thread *me, const struct stray *around)
{
	if (around)
		return load(&around->branch, RELAXED);
	return hotpath__on_signal_stack() ? me->top->branch : &me->root;
}

static void abandon_again(struct thread *me, struct stray *again, const struct hotpath_span *span)
{
	if (!again)
		return;
	me->function_strays -= !span;
	if (!take(again, load(&again->key, RELAXED)))
		return;
	abandon(me, again);
	give_back(again);
}

void hotpath__stray_begin(struct thread *me, uint32_t site, uintptr_t key,
			  struct hotpath_span *span, uintptr_t sp)
{
	key |= span ? 0 : KEY_FUNCTION;
	abandon_again(me, find_again(me, key, span, sp), span);
	struct stray *stray = place(me), *around = hotpath__stray_around(me, sp);
	struct branch *branch = hotpath__branch(me, branch_around(me, around), site);
	if (!branch || !stray) {
		add(&me->lane->counters[HP_COUNTER_functions], 1);
		if (stray)
			give_back(stray);
		return;
	}
	store(&stray->branch, branch, RELAXED);
	store(&stray->children, 0, RELAXED);
	store(&stray->lost, 0, RELAXED);
	store(&stray->around, around, RELAXED);
	stray->interrupted = !around && hotpath__on_signal_stack() ? me->top : NULL;
	stray->sp = sp;
	stray->fiber = hotpath__fiber_at(me, sp);
	store(&branch->stat->open, branch->stat->open + 1, RELAXED);
	stray->start = hotpath__ticks();
	if (span) {
		span->token = hotpath__token(span, TOKEN_STRAY);
		span->site = site;
		span->holder = stray;
		span->start = stray->start;
	}
	me->function_strays += !span;
	me->has_strays = true;
	store(&me->owner, NULL, RELAXED);
	store(&stray->key, key, RELEASE);
}

void hotpath__stray_end(struct thread *me, struct hotpath_span *span, uint64_t now)
{
	struct stray *stray = span->holder;

	if (!is_mine(me, stray))
		add(&me->lane->counters[HP_COUNTER_detached], 1);
	bool taken = take(stray, (uintptr_t)span);
	if (taken && stray->start == span->start)
		end(me, stray, now);
	else
		hotpath__end_alone(me, span, now);
	if (taken)
		give_back(stray);
}

/* The distance between a stray and the exit of a function; UINTPTR_MAX when the stray is not of this function. */
static uintptr_t distance(const struct stray *stray, struct leaving leaving)
{
	if (load(&stray->key, RELAXED) != (leaving.function | KEY_FUNCTION))
		return UINTPTR_MAX;
	return hotpath__distance(stray->sp, leaving);
}

bool hotpath__stray_exit(struct thread *me, struct leaving leaving, uint64_t now, uintptr_t reach)
{
	struct stray *closest = &me->strays[0];

	if (!me->function_strays)
		return false;
	for (unsigned i = 1; i < STRAYS; i++)
		if (distance(&me->strays[i], leaving) < distance(closest, leaving))
			closest = &me->strays[i];
	uintptr_t near = distance(closest, leaving);
	if (near >= reach || !take(closest, leaving.function | KEY_FUNCTION))
		return false;
	me->function_strays--;
	end(me, closest, now);
	give_back(closest);
	return true;
}

bool hotpath__stray_sled_exit(struct thread *me, uintptr_t sp, uint64_t now)
{
	for (unsigned i = 0; me->function_strays && i < STRAYS; i++) {
		struct stray *stray = &me->strays[i];
		uintptr_t key = load(&stray->key, RELAXED);
		if (stray->sp != sp || !(key & KEY_SLED) || !take(stray, key))
			continue;
		me->function_strays--;
		end(me, stray, now);
		give_back(stray);
		return true;
	}
	return false;
}
