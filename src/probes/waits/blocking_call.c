/* SPDX-License-Identifier: MIT */
/* What is recorded of a call that waits. */
#include "blocking_call.h"

#include "waits_mode.h"

/* Locks are recorded whenever these waits are. */
static bool is_on(void)
{
	static enum { UNKNOWN, ON, OFF } state;

	/* RELAXED: all threads find the same. */
	if (unlikely(load(&state, RELAXED) == UNKNOWN))
		store(&state, hotpath__waits_wanted() & HP_WAITS_REST ? ON : OFF, RELAXED);
	return load(&state, RELAXED) == ON && holds_on();
}

bool waits_on(void)
{
	return is_on() && !hotpath__is_at_work();
}

/* Begins nothing while the recorder is at work. The site of the row is found before the call, so that the thread goes on sooner after it. */
struct wait wait_begin(enum hp_reason reason, uint32_t target, uintptr_t from)
{
	struct wait wait = { .blocking = { .reason = reason, .target = target } };

	if (!is_on())
		return wait;
	hotpath__block_begin(&wait.blocking, from);
	if (wait.blocking.since)
		wait.edge = hotpath__edge_site(HP_SITE_WAIT, reason, wait.blocking.function,
					       target);
	return wait;
}

void wait_end(struct wait *wait)
{
	if (wait->blocking.since)
		hotpath__block_end(&wait->blocking, wait->failed ? 0 : wait->edge, NULL);
}

/* Of what is done here, only the walk along the stack takes time, and that is seldom. */
void wait_end_locked(struct wait *wait)
{
	const struct hotpath__blocking *blocking = &wait->blocking;

	if (!blocking->since)
		return;
	uint64_t until = hotpath__probe_ticks(), since = blocking->since;
	hotpath__block_over(blocking);
	if (wait->failed)
		return;
	hotpath__waited(blocking->reason, wait->edge, until > since ? until - since : 0,
			blocking->from);
	holds_owe(&(struct ending){ wait->edge, since, until });
}
