/* SPDX-License-Identifier: MIT */
/*
 * What is done when a lock is acquired, waited for and released.
 *
 *	lock     try ──free──► acquired: count it, note who has it since when
 *	          └──taken──► note who holds it ─► the real function waits ─► acquired, and the wait is owed
 *	unlock   note the time ─► the real function ─► hold time and owed waits go to the histograms
 *
 * Nothing is written to a histogram while the lock is held: that would make others wait for the profiler. What is owed
 * is kept by the thread until it has released a lock.
 */
#ifndef WAITS_HOLDS_H
#define WAITS_HOLDS_H

#include "lock_table.h"

#include "flow/held_locks.h"
#include "probe.h"
#include "segment.h"

#pragma GCC visibility push(hidden)

/** A kind of lock. */
struct lock_kind {
	enum hp_site_kind site;
	enum mode mode;
};

extern const struct lock_kind MUTEX, READ_LOCK, WRITE_LOCK, SPIN_LOCK, OWN_LOCK, TARGET;

/** Whether locks are recorded at all, and this code does not run inside of the recorder. */
bool holds_on(void);

/**
 * The same, before a lock is acquired. What the recorder needs for the first use of a lock or of a thread takes time, so
 * it is made now, and not while the lock is held.
 */
bool holds_ready(const volatile void *address, const struct lock_kind *kind, uintptr_t from);

/** This thread has acquired a lock, by the call with this return address. */
void holds_acquired(const volatile void *address, const struct lock_kind *kind, uintptr_t from);

/** It has acquired a lock once more that it holds already. */
void holds_again(const volatile void *address, const struct lock_kind *kind, uintptr_t from);

/** A wait for a lock that was not free. */
struct waiting {
	/* NULL when it is not recorded. */
	struct lock *lock;
	const struct lock_kind *kind;
	const volatile void *address;
	uintptr_t from;
	/* Set by the caller: whether the wait ends when a time is over; and the thread that holds the lock as the C library
	   knows it, 0 if it does not. */
	bool is_timed;
	uint32_t owner;
	/* In ticks. */
	uint64_t since;
	/* What its lane says meanwhile. */
	struct hotpath__blocking blocking;
	/* Who held it when it began. */
	struct hold holder;
	bool by_readers;
	/* How many threads waited then, with this one. */
	uint32_t waiters;
};

void holds_wait(struct waiting *waiting, const volatile void *address, const struct lock_kind *kind,
		uintptr_t from);

/** The real function has returned: the thread has the lock; or it waited in vain, because the time was over; or there
   was an error. */
enum outcome { ACQUIRED, AGAIN, IN_VAIN, FAILED };
void holds_waited(const struct waiting *waiting, enum outcome outcome);

/** A try has failed. */
void holds_refused(const volatile void *address, const struct lock_kind *kind, uintptr_t from);

/** A hold that ends. */
struct ending {
	/* 0 when it is not recorded. */
	uint32_t site;
	uint64_t since;
	uint64_t until;
};

/** This thread is about to release a lock, or to wait for a condition with it; `checks` if the real function fails for a
   thread that does not hold it. */
struct ending holds_end(const volatile void *address, bool checks);

/** The lock is free. */
void holds_ended(const struct ending *ending);

/** The same, but it is acquired again by now: the hold, or what the thread has waited for meanwhile, is owed. */
void holds_owe(const struct ending *ending);

/* ---- at once ---- */

/* The offset from the thread pointer to the thread-local pointer to the recorder's thread state; 0 while locks are not
   recorded. If it is not 0, the table of locks is mapped, and the functions of the C library are known. RELEASE. */
extern ptrdiff_t holds_state_at;
/** Find out whether they are. Returns the same. */
bool holds_find_out(void);
/* Whether it is recorded how long locks are held (HP_WAITS_HOLDS). Written before holds_state_at. */
extern bool holds_are_timed;
/* How much this thread owes. */
extern __thread unsigned holds_owed __attribute__((tls_model("initial-exec")));

/** What the fast path needs of a thread and a lock. */
struct quick {
	struct thread *me;
	struct lock *lock;
	struct hp_stat *stat;
};

/**
 * Find all three, if the recorder is not at work on this thread and knows it and the lock. It does not mark the thread
 * busy: a signal handler may not use locks, and calls that it measures change nothing of this.
 */
__attribute__((always_inline)) static inline bool holds_quick(struct quick *quick,
							      const volatile void *address,
							      enum mode mode)
{
	/* ACQUIRE pairs with the RELEASE of holds_find_out. */
	ptrdiff_t at = load(&holds_state_at, ACQUIRE);

	if (unlikely(!at))
		return false;
	struct thread *me = *(struct thread **)(void *)(hotpath__thread_pointer() + at);
	struct lock *lock = locks_slot(load(&locks, CONSUME), (uintptr_t)address, 0);
	if (unlikely(load(&lock->key, RELAXED) != (uintptr_t)address))
		lock = locks_find(address);
	if (unlikely(!me || me->busy != READY || load(&me->limit, RELAXED) == me->frames || !lock))
		return false;
	/* No site has id 0, so it has no stat. */
	uint32_t site = load(&lock->sites[mode], RELAXED);
	struct hp_stat **page = me->index[site / INDEX_PAGE];
	*quick = (struct quick){ me, lock, likely(page != NULL) ? page[site % INDEX_PAGE] : NULL };
	return likely(quick->stat != NULL);
}

/** As holds_acquired, for a lock that one thread holds. Returns false if nothing was done. */
__attribute__((always_inline)) static inline bool holds_acquire_at_once(const struct quick *quick,
									uintptr_t from)
{
	struct hold *hold = &quick->lock->hold;
	const struct frame *top = quick->me->top;

	/* A frame below the stack pointer was left by longjmp; on another stack, the innermost call is not known. */
	if (unlikely(hotpath__stack_pointer() - quick->me->stack_low > top->height))
		return false;
	add(&quick->stat->flow[HP_LOCK_ACQUIRED], 1);
	store(&hold->from, from, RELAXED);
	store(&hold->call, (uint32_t)top->branch->site, RELAXED);
	store(&hold->tid, quick->me->tid, RELAXED);
	store(&hold->since, likely(load(&holds_are_timed, RELAXED)) ? hotpath__counter() : HELD,
	      RELAXED);
	hotpath__hold(quick->me, load(&quick->lock->number, RELAXED));
	return true;
}

/**
 * Like holds_end, for a lock that the real function will release in any case: the hold is to be recorded at once after
 * that. Returns false if nothing was done.
 */
__attribute__((always_inline)) static inline bool holds_end_at_once(struct quick *quick,
								    struct ending *ending,
								    const volatile void *address)
{
	if (unlikely(holds_owed || !holds_quick(quick, address, ALONE)))
		return false;
	ending->since = load(&quick->lock->hold.since, RELAXED);
	uint32_t number = load(&quick->lock->number, RELAXED);
	bool is_last = hotpath__is_last_held(quick->me, number);
	/* It may be that another thread has acquired it. */
	if (unlikely(!is_last && load(&quick->lock->hold.tid, RELAXED) != quick->me->tid))
		return false;
	bool is_timed = likely(ending->since != HELD);
	/* When the ring is to be flushed, it is the recorder's work. */
	if (is_timed && unlikely(ending->since < load(&quick->me->fast_since, RELAXED) ||
				 (quick->stat->calls + 1) % HP_FLUSH == 0))
		return false;
	if (likely(is_last))
		hotpath__unhold_last(quick->me);
	else
		hotpath__unhold_other(quick->me, number);
	store(&quick->lock->hold.since, 0, RELAXED);
	ending->until = is_timed ? hotpath__counter() : 0;
	return true;
}

__attribute__((always_inline)) static inline void holds_ended_at_once(const struct quick *quick,
								      const struct ending *ending)
{
	struct hp_stat *stat = quick->stat;
	uint64_t ticks = ending->until - ending->since;

	if (unlikely(!ending->until))
		return;
	/* The clocks of two processors may differ a little. */
	if (unlikely((int64_t)ticks < 0))
		ticks = 0;
	store_pair(&stat->ring[stat->calls % HP_RING].end, ending->until, ticks & HP_CALL_DURATION);
	store(&stat->calls, stat->calls + 1, RELAXED);
}

/* ---- creation and end ---- */

/** A lock was initialised; or destroyed. */
void holds_made(const volatile void *address, uintptr_t from);
void holds_gone(const volatile void *address);

/** The site of a condition variable, semaphore or the like that is about to be waited for, by the call with this return
   address; 0 when nothing is recorded. It is known like a lock: holds_made and holds_gone are for it, too. */
uint32_t holds_target(const volatile void *address, uintptr_t from);

/** The same for a futex, of which it is not known when it is gone. Those in the heap are not kept in the table, which they
   would fill. */
uint32_t holds_futex(const volatile void *address, uintptr_t from);

/** The program names an object, which may be a lock. */
void holds_label(const void *object, const char *label);

#pragma GCC visibility pop

#endif
