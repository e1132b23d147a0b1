/* SPDX-License-Identifier: MIT */
#include "setup_time.h"

#include "clock.h"
#include "recorder_state.h"

/* How many of such works are in progress on this thread, each a part of the one before; and when the first began. */
static __thread struct {
	unsigned depth;
	uint64_t since_ns;
} at_work __attribute__((tls_model("initial-exec")));

/* The time of such work that no segment has yet: there is none so far. */
static uint64_t early_ns;

void hotpath__setup_begins(void)
{
	if (at_work.depth++ == 0)
		at_work.since_ns = hotpath__monotonic_ns();
}

void hotpath__setup_ends(void)
{
	const struct recorder *recorder = hotpath__recorder;

	if (--at_work.depth)
		return;
	uint64_t passed_ns = hotpath__monotonic_ns() - at_work.since_ns;
	if (recorder && recorder->base)
		fetch_add(&hotpath__header()->setup_ns, passed_ns + exchange(&early_ns, 0, RELAXED),
			  RELAXED);
	else
		fetch_add(&early_ns, passed_ns, RELAXED);
}

void hotpath__setup_forget(void)
{
	store(&early_ns, 0, RELAXED);
}
