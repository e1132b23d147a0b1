/* SPDX-License-Identifier: MIT */
/*
 * Locks of the program's own make, which tells us of them.
 *
 * The holder notes itself in the program's struct, where a thread that begins to wait reads it. When a thread began to
 * wait for a lock, or to hold one, is kept by the thread: the program may tell of the release when another thread has the
 * lock already.
 */
#include "flow.h"

#include "held_locks.h"
#include "own_locks.h"
#include "probe.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"

static bool is_known(const struct hotpath_lock *lock)
{
	return hotpath__is_token(load(&lock->token, RELAXED), lock->site, 0);
}

/* Count what cannot belong to a lock. */
static bool is_open(const struct hotpath_lock *lock)
{
	if (is_known(lock))
		return true;
	hotpath__count(HP_COUNTER_not_open);
	return false;
}

/* The site of a function: that of the measured call, or of the call that told of the lock. */
static uint32_t function_of(uint32_t call, uint64_t from)
{
	return call || !from ? call : hotpath__flow_site(HP_SITE_CALL, NULL, (uintptr_t)from);
}

SELDOM void hotpath_lock_new(struct hotpath_lock *lock, struct hotpath_site *site)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	*lock = (struct hotpath_lock){ .token = 0 };
	if (other) {
		other->lock_new(lock, site);
		return;
	}
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	if (!me)
		return;
	lock->site = hotpath__flow_site_id(site);
	if (lock->site && hotpath__shared(lock->site)) {
		hotpath__instance(lock->site, true);
		lock->number = hotpath__lock_number();
		store(&lock->token, hotpath__flow_token(lock->site, 0, 0), RELAXED);
	}
	hotpath__leave_busy(me);
}

/* Say in the lane that the thread waits. What the program waits by is called by the function that called us, or by one that
   it calls: their stack pointers are lower than ours. */
static void begin_blocking(struct thread *me, const struct hotpath_lock *lock, uintptr_t sp,
			   uintptr_t from)
{
	bool is_held = load(&lock->is_held, RELAXED);
	struct hotpath__blocking blocking = {
		.reason = HP_REASON_LOCK,
		.target = lock->site,
		.holder = is_held ? load(&lock->holder, RELAXED) : 0,
		.holder_function = is_held ? function_of(load(&lock->call, RELAXED),
							 load(&lock->from, RELAXED))
					   : 0,
		.lock = lock->number,
	};

	me->own_locks.lock = NULL;
	hotpath__block_begin(&blocking, from);
	if (blocking.since)
		me->blocked_sp = sp;
	me->own_locks.lock = lock;
}

void hotpath__lock_wait(struct hotpath_lock *lock, uintptr_t from)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other) {
		other->lock_wait(lock, from);
		return;
	}
	struct hotpath__here here = hotpath__here();
	struct thread *me = hotpath__own_state();
	if (!here.ticks || !me || !is_open(lock))
		return;
	bool is_held = load(&lock->is_held, RELAXED);
	me->own_locks.waited = (struct waited){ here.ticks,
						is_held ? load(&lock->from, RELAXED) : 0,
						is_held ? load(&lock->call, RELAXED) : 0,
						fetch_add(&lock->waiters, 1, RELAXED) + 1 };
	begin_blocking(me, lock, (uintptr_t)__builtin_frame_address(0), from);
}

void hotpath_lock_wait(struct hotpath_lock *lock)
{
	hotpath__lock_wait(lock, (uintptr_t)__builtin_return_address(0));
}

/* The wait of this thread is over. */
static struct waited take_wait(struct own_locks *mine, struct hotpath_lock *lock)
{
	if (mine->lock != lock)
		return (struct waited){ 0, 0, 0, 0 };
	mine->lock = NULL;
	hotpath__block_over(&(struct hotpath__blocking){ .since = mine->waited.since });
	fetch_add(&lock->waiters, -1U, RELAXED);
	return mine->waited;
}

SELDOM static void record_wait(const struct own_hold *held)
{
	const struct waited *waited = &held->waited;
	uint64_t ticks = hotpath__less(held->since, waited->since);
	uint32_t holder = function_of(waited->holder_call, waited->holder_from);
	uint32_t waiter = function_of(held->call, held->from);
	uint32_t edge = hotpath__edge_site(HP_SITE_LOCK_WAIT, waiter, holder, held->site);

	hotpath__happened(&(struct hotpath__event){ .site = held->site,
						    .timed = 1U << 1,
						    .counts[HP_LOCK_CONTENDED] = 1,
						    .ticks[1] = ticks,
						    .slowest = waited->waiters });
	hotpath__happened(
		&(struct hotpath__event){ .site = edge, .timed = 1U << 0, .ticks[0] = ticks });
}

void hotpath__lock_held(struct hotpath_lock *lock, uintptr_t from)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other) {
		other->lock_held(lock, from);
		return;
	}
	if (hotpath__is_idle() || !is_open(lock))
		return;
	struct hotpath__here here = hotpath__acquired(lock->site, true);
	struct thread *me = hotpath__own_state();
	if (!here.ticks || !me)
		return;
	struct own_locks *mine = &me->own_locks;
	store(&lock->from, from, RELAXED);
	store(&lock->call, here.call, RELAXED);
	store(&lock->holder, here.tid, RELAXED);
	store(&lock->is_held, 1, RELAXED);
	struct own_hold held = { lock,	     here.ticks, from,
				 lock->site, here.call,	 take_wait(mine, lock) };
	hotpath__hold(me, lock->number);
	if (mine->held_count < OWN_LOCKS_HELD)
		mine->held[mine->held_count++] = held;
	else
		hotpath__lock_lost();
}

void hotpath_lock_held(struct hotpath_lock *lock)
{
	hotpath__lock_held(lock, (uintptr_t)__builtin_return_address(0));
}

void hotpath_lock_freed(struct hotpath_lock *lock)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other) {
		other->lock_freed(lock);
		return;
	}
	struct thread *me = hotpath__own_state();
	struct own_locks *mine = me ? &me->own_locks : NULL;
	if (me && is_known(lock))
		hotpath__unhold_lock(me, lock->number);
	for (unsigned i = mine ? mine->held_count : 0; i; i--) {
		struct own_hold held = mine->held[i - 1];
		if (held.lock != lock)
			continue;
		mine->held[i - 1] = mine->held[--mine->held_count];
		hotpath__released(held.site, held.since, hotpath__ticks());
		if (held.waited.since)
			record_wait(&held);
		return;
	}
}
