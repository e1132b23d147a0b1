/* SPDX-License-Identifier: MIT */
#include "waking.h"

#include "atomic.h"
#include "calls/stack.h"
#include "cpu/sampler.h"
#include "cpu/sampling.h"
#include "governor.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "restraint.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The least CPU time until a thread is woken. */
	SOON_NS = 10 * 1000 * 1000,
	/* A thread that should have been woken so long ago is not going to be: its signal may have been discarded. And one
	   that could not look is woken after this time again. */
	LOST_MS = 1000,
};

bool hotpath__is_waking(void)
{
	return hotpath__next_return() && !hotpath__is_sampling() && hotpath__sampling_signal();
}

static uint64_t ns_of(uint64_t ticks)
{
	uint64_t rate = load(&hotpath__header()->ticks_per_second, RELAXED);

	return ticks / rate * 1000000000 + ticks % rate * 1000000000 / rate;
}

/* ---- the timer ---- */

static bool make_timer(struct thread *me)
{
	struct guard guard;
	int timer;

	hotpath__lock(&guard);
	bool made = hotpath__receive_signal() &&
		    hotpath__thread_timer(&timer, me->tid, hotpath__sampling_signal(), me);
	me->wake_timer = made ? timer : 0;
	store(&me->has_wake_timer, made, RELAXED);
	hotpath__unlock(&guard);
	return made;
}

/* Without the lock, which keeps errno elsewhere: the program may be about to look at it. */
static void set_timer(const struct thread *me, uint64_t ns)
{
	const struct itimerspec once = { .it_value = { (time_t)(ns / 1000000000),
						       (long)(ns % 1000000000) } };
	int saved_errno = errno;

	syscall(SYS_timer_settime, me->wake_timer, 0, &once, NULL);
	errno = saved_errno;
}

/* Whether a thread will be woken by then anyway. */
static bool is_set(const struct thread *me, uint64_t time, uint64_t now)
{
	uint64_t before = load(&me->woken_at, RELAXED);

	return before && before <= time &&
	       hotpath__less(now, before) < hotpath__milliseconds(LOST_MS);
}

/* If there can be no timer, this is not tried again and again. */
void hotpath__wake_at(struct thread *me, uint64_t time)
{
	uint64_t now = hotpath__ticks(), half = ns_of(hotpath__less(time, now)) / 2;

	if (me != hotpath__me || !hotpath__is_waking() || is_set(me, time, now))
		return;
	store(&me->woken_at, time, RELAXED);
	if (load(&me->has_wake_timer, RELAXED) || make_timer(me))
		set_timer(me, half < SOON_NS ? SOON_NS : half);
}

void hotpath__wake_no_more(struct thread *thread)
{
	if (thread->has_wake_timer)
		syscall(SYS_timer_delete, thread->wake_timer);
	store(&thread->has_wake_timer, false, RELAXED);
	store(&thread->woken_at, 0, RELAXED);
}

void hotpath__wake_nobody(void)
{
	for (struct thread *thread = hotpath__recorder->threads; thread; thread = thread->next)
		hotpath__wake_no_more(thread);
}

/* ---- threads that look ---- */

/* False when nothing is recorded just now. */
static bool look_now(uintptr_t sp)
{
	struct thread *me = hotpath__enter(sp);

	if (!me)
		return false;
	hotpath__enter_busy(me, sp);
	hotpath__govern(me);
	hotpath__leave_busy(me);
	return true;
}

void hotpath__wake_new_thread(void)
{
	if (hotpath__is_waking() && !hotpath__gone)
		look_now(hotpath__stack_pointer());
}

/* A thread that is just recording is about to look anyway, or is woken again. */
bool hotpath__is_woken(const siginfo_t *info, uintptr_t sp)
{
	struct thread *me = hotpath__own_state();

	if (info->si_code != SI_TIMER || !me || info->si_value.sival_ptr != me)
		return false;
	store(&me->woken_at, 0, RELAXED);
	if (me->busy != READY)
		hotpath__wake_at(me, hotpath__ticks());
	else if (!look_now(sp))
		hotpath__wake_at(me, hotpath__ticks() + hotpath__milliseconds(LOST_MS));
	return true;
}
