/* SPDX-License-Identifier: MIT */
/* Which thread runs which main context, and the turns of these. */
#include "loops.h"

#include "probe.h"

enum {
	/* How deep a thread may nest running contexts; deeper ones are not observed. */
	DEPTH_MAX = 16,
};

/* A context that this thread runs. */
struct run {
	struct loop *loop;
	uint64_t since;
	/* g_main_depth when it began: how many callbacks are running around it. */
	gint depth;
	/* This thread has waited for it; if not, another thread may own the context all the time. */
	bool has_waited;
};

static __thread struct {
	unsigned depth;
	struct run runs[DEPTH_MAX];
} running __attribute__((tls_model("initial-exec")));

static struct run *current(void)
{
	return running.depth && running.depth <= DEPTH_MAX ? &running.runs[running.depth - 1]
							   : NULL;
}

struct loop *loops_current(void)
{
	struct run *run = current();

	return run ? run->loop : NULL;
}

struct loop *loops_about_to_wait(void)
{
	struct run *run = current();

	if (likely(!run) || !run->loop || !run->loop->site || run->loop->waits_since)
		return NULL;
	return NEXT(g_main_depth)() == run->depth ? run->loop : NULL;
}

/* ---- turns ---- */

static void tell_turn(struct loop *loop, uint64_t now)
{
	struct hotpath__event turn = {
		.site = loop->site,
		.counts = { [HP_LOOP_IDLE] = loop->idle,
			    [HP_LOOP_CALLBACK] = loop->in_callbacks,
			    [HP_LOOP_CALLBACKS] = loop->callbacks },
		.timed = 1,
		.ticks = { now - loop->woke_at },
		.slowest = loop->slowest,
	};

	if (loop->slowest_code)
		turn.slowest_site = objects_site(HP_SITE_POLL, loop->slowest_kind,
						 loop->slowest_code);
	hotpath__happened(&turn);
	loop->idle = loop->in_callbacks = loop->slowest = 0;
	loop->slowest_code = 0;
	loop->callbacks = 0;
}

/* Before the first wait there is no turn. */
static void end_turn(struct loop *loop, uint64_t now)
{
	if (loop->woke_at)
		tell_turn(loop, now);
	loop->woke_at = 0;
}

void loops_wait(struct loop *loop)
{
	struct run *run = current();
	uint64_t now = hotpath__probe_ticks();

	end_turn(loop, now);
	loop->waits_since = now;
	if (run && run->loop == loop)
		run->has_waited = true;
}

void loops_wake(struct loop *loop)
{
	uint64_t now = hotpath__probe_ticks();

	loop->idle += now - loop->waits_since;
	loop->waits_since = 0;
	loop->woke_at = now;
}

void loops_count(struct loop *loop, uint64_t ticks, const char *kind, uintptr_t code)
{
	loop->callbacks++;
	loop->in_callbacks += ticks;
	if (ticks >= loop->slowest) {
		loop->slowest = ticks;
		loop->slowest_kind = kind;
		loop->slowest_code = code;
	}
}

/* ---- who runs them ---- */

struct loop *loops_prepare(GMainContext *context, uintptr_t from)
{
	struct loop *loop = loops_of(context);

	if (loop && !loop->site)
		loop->site = objects_site(HP_SITE_LOOP, "GMainContext", from);
	if (loop && loop->site)
		dispatch_begins();
	return loop;
}

void loops_enter(struct loop *loop)
{
	if (running.depth < DEPTH_MAX)
		running.runs[running.depth] = (struct run){ .loop = loop,
							    .since = hotpath__probe_ticks(),
							    .depth = NEXT(g_main_depth)() };
	running.depth++;
}

void loops_leave(void)
{
	running.depth--;
}

/* The thread stops running a context, which ends its last turn. If it was run inside one of its own callbacks, the
   turn of that callback continues. */
static void stop(void)
{
	struct run *run = current();
	struct loop *loop = run && run->has_waited ? run->loop : NULL;

	loops_leave();
	if (!loop)
		return;
	uint64_t now = hotpath__probe_ticks();
	end_turn(loop, now);
	if (loops_current() != loop)
		return;
	loop->woke_at = now;
	loop->inside += now - run->since;
}

DEFINE(void, g_main_loop_run, GMainLoop *loop)
{
	if (!loop) {
		NEXT(g_main_loop_run)(loop);
		return;
	}
	loops_enter(loops_prepare(NEXT(g_main_loop_get_context)(loop), FROM));
	NEXT(g_main_loop_run)(loop);
	stop();
}

DEFINE(gboolean, g_main_context_iteration, GMainContext *context, gboolean may_block)
{
	loops_enter(loops_prepare(context, FROM));
	gboolean has_dispatched = NEXT(g_main_context_iteration)(context, may_block);
	stop();
	return has_dispatched;
}
