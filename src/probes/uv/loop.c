/* SPDX-License-Identifier: MIT */
/*
 * The loop: how long it waits, and how long it is busy between two waits.
 *
 * A turn lasts from the return of the system call in which the loop waits until the next such call, or until the end of
 * uv_run. What is done before the first wait belongs to the first turn.
 */
#include "observe.h"

#include <string.h>

/* The loop that runs on this thread. A thread-local variable, not on the stack, because a callback may leave by
   longjmp. */
struct running {
	/* The present turn; its site is 0 when nothing is recorded. */
	struct hotpath__event turn;
	const void *loop;
	uintptr_t caller;
	uint32_t labels;
	/* The epoll descriptor that the loop waits with; and whether it has waited yet. */
	int descriptor;
	bool has_waited;
	/* When the present phase began, in which the loop is busy or waits. */
	uint64_t since;
};

static __thread struct running running __attribute__((tls_model("initial-exec")));

/* The key of a loop in the table. Not its address itself: the loop may be gone, and a handle have its address. */
static uintptr_t key_of(const void *loop)
{
	return (uintptr_t)loop | 2;
}

/* The return address of the first uv_run of a loop, which identifies its site however often and wherever it is run
   again. */
static uintptr_t first_caller(const void *loop, uintptr_t caller)
{
	struct flight *known = flight_find(key_of(loop));
	struct flight *made = known ? NULL : flight_new(key_of(loop));

	if (made) {
		made->caller = caller;
		flight_put(made);
	}
	return known ? known->caller : caller;
}

static void forget(const void *loop)
{
	struct flight *known = flight_take(key_of(loop));

	if (known)
		flight_free(known);
	label_forget(loop);
}

/* Find the site of the loop again when names were given, which may happen in callbacks. */
static void find_site(void)
{
	uint32_t site = label_site(HP_SITE_LOOP, running.loop);

	running.labels = label_count();
	running.turn.site = site ? site
				 : hotpath__flow_site(HP_SITE_LOOP, "uv_run", running.caller);
}

static void begin(const uv_loop_t *loop, uintptr_t caller)
{
	running = (struct running){
		.loop = loop,
		.caller = first_caller(loop, caller),
		.descriptor = loop->backend_fd,
	};
	if (!observe_begins())
		return;
	find_site();
	running.since = hotpath__probe_ticks();
}

static void end_turn(void)
{
	if (running.labels != label_count())
		find_site();
	running.turn.timed = 1;
	hotpath__happened(&running.turn);
	running.turn = (struct hotpath__event){ .site = running.turn.site };
}

static void begin_waiting(void)
{
	uint64_t now = hotpath__probe_ticks();

	running.turn.ticks[0] += now - running.since;
	if (running.has_waited)
		end_turn();
	running.since = now;
}

static void end_waiting(void)
{
	uint64_t now = hotpath__probe_ticks();

	running.turn.counts[HP_LOOP_IDLE] += now - running.since;
	running.has_waited = true;
	running.since = now;
}

static void end(void)
{
	if (!running.turn.site)
		return;
	running.turn.ticks[0] += hotpath__probe_ticks() - running.since;
	if (running.has_waited || running.turn.counts[HP_LOOP_CALLBACKS])
		end_turn();
}

void loop_ran(uint64_t ticks, uint32_t site)
{
	struct hotpath__event *turn = &running.turn;

	turn->counts[HP_LOOP_CALLBACKS]++;
	turn->counts[HP_LOOP_CALLBACK] += ticks;
	if (ticks > turn->slowest) {
		turn->slowest = ticks;
		turn->slowest_site = site;
	}
}

/* The state of the outer loop is saved: a callback may run another loop, or even the same. */
VISIBLE int uv_run(uv_loop_t *loop, uv_run_mode mode)
{
	struct running before = running;

	begin(loop, (uintptr_t)__builtin_return_address(0));
	int result = NEXT(uv_run)(loop, mode);
	end();
	running = before;
	return result;
}

VISIBLE int uv_loop_close(uv_loop_t *loop)
{
	int result = NEXT(uv_loop_close)(loop);

	if (result == 0)
		forget(loop);
	return result;
}

static bool is_turning(int descriptor)
{
	return running.turn.site && running.descriptor == descriptor;
}

VISIBLE int epoll_wait(int descriptor, struct epoll_event *events, int most, int timeout)
{
	if (!is_turning(descriptor))
		return NEXT(epoll_wait)(descriptor, events, most, timeout);
	begin_waiting();
	int count = NEXT(epoll_wait)(descriptor, events, most, timeout);
	end_waiting();
	return count;
}

VISIBLE int epoll_pwait(int descriptor, struct epoll_event *events, int most, int timeout,
			const sigset_t *signals)
{
	if (!is_turning(descriptor))
		return NEXT(epoll_pwait)(descriptor, events, most, timeout, signals);
	begin_waiting();
	int count = NEXT(epoll_pwait)(descriptor, events, most, timeout, signals);
	end_waiting();
	return count;
}
