/* SPDX-License-Identifier: MIT */
/*
 * Operations: spans that the program holds anywhere and may end on any thread. They have no frame; what
 * is needed to count them is in the span.
 */
#include "counting.h"

#include "branch.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lanes.h"
#include "process/lifecycle.h"
#include "sites.h"
#include "stack.h"

void hotpath__end_alone(struct thread *me, const struct hotpath_span *span, uint64_t now)
{
	const struct branch *branch = hotpath__branch(me, &me->root, (uint32_t)span->site);
	uint64_t duration = hotpath__duration(me, span->start, now, 0, 0);
	struct call call = { .end = now, .duration = duration, .self = duration };

	if (!branch) {
		add(&me->lane->counters[HP_COUNTER_functions], 1);
		return;
	}
	if (span->start < load(&me->session_start, RELAXED))
		return;
	store(&branch->stat->open, branch->stat->open - 1, RELAXED);
	hotpath__count_call(me, branch, call, NULL);
}

static void begin(struct thread *me, struct hotpath_span *span, struct hotpath_site *site)
{
	uint32_t id = hotpath__site_id(site);
	struct hp_stat *stat = id ? hotpath__stat(me, id) : NULL;

	if (!stat) {
		if (id)
			add(&me->lane->counters[HP_COUNTER_functions], 1);
		return;
	}
	store(&stat->open, stat->open + 1, RELAXED);
	/* The id and not a pointer: the library with the site may have been unloaded when the operation ends. */
	span->site = id;
	span->start = hotpath__ticks();
	/* Pairs with the ACQUIRE of the thread that ends it. */
	store(&span->token, hotpath__token(span, TOKEN_OPERATION), RELEASE);
}

void hotpath_operation_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__enter(sp);

	span->token = TOKEN_NONE;
	if (me) {
		hotpath__enter_busy(me, sp);
		begin(me, span, site);
		hotpath__leave_busy(me);
	} else if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->operation_begin(span, site);
	}
}

void hotpath_operation_end(struct hotpath_span *span)
{
	uint64_t now = hotpath__ticks();
	uintptr_t sp = hotpath__stack_pointer();

	if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->operation_end(span);
		return;
	}
	/* The thread that takes the token ends the operation: if two try, one succeeds. */
	if (exchange(&span->token, TOKEN_NONE, ACQUIRE) != hotpath__token(span, TOKEN_OPERATION))
		return;
	struct thread *me = hotpath__enter(sp);
	if (!me)
		return;
	hotpath__enter_busy(me, sp);
	hotpath__end_alone(me, span, now);
	hotpath__leave_busy(me);
}
