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

/** This thread has just acquired a lock whose holder died with it: that hold ends now, and is owed. To be called before the lock is
   noted as acquired. */
void holds_died(const volatile void *address);

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
	/* The site of the innermost measured call, 0 for none; and the place of the lock's number in the lane. */
	uint32_t call;
	uint32_t place;
};

/** The stat of a site on this thread; NULL when it has none. No site has id 0, so it has no stat. */
static inline struct hp_stat *holds_stat(const struct thread *me, uint32_t site)
{
	struct hp_stat **page = me->index[site / INDEX_PAGE];

	return likely(page != NULL) ? page[site % INDEX_PAGE] : NULL;
}

/**
 * Find the thread and the lock, if the recorder is not at work on this thread and knows both. It does not mark the thread
 * busy: a signal handler may not use locks, and calls that it measures change nothing of this.
 */
__attribute__((always_inline)) static inline bool holds_find(struct quick *quick,
							     const volatile void *address)
{
	/* ACQUIRE pairs with the RELEASE of holds_find_out. */
	ptrdiff_t at = load(&holds_state_at, ACQUIRE);

	if (unlikely(!at))
		return false;
	quick->me = hotpath__thread_word(at);
	quick->lock = locks_slot(load(&locks, CONSUME), (uintptr_t)address, 0);
	if (unlikely(load(&quick->lock->key, RELAXED) != (uintptr_t)address)) {
		quick->lock = locks_find(address);
		if (!quick->lock)
			return false;
	}
	return likely(quick->me && quick->me->busy == READY);
}

/** The same for a lock that is about to be acquired: this thread has acquired it before. */
__attribute__((always_inline)) static inline bool holds_known(struct quick *quick,
							      const volatile void *address,
							      enum mode mode)
{
	if (unlikely(!holds_find(quick, address) || !load(&quick->me->probes_open, RELAXED)))
		return false;
	quick->stat = holds_stat(quick->me, load(&quick->lock->sites[mode], RELAXED));
	return likely(quick->stat != NULL);
}

/** The same if the innermost call is known, too. A frame below the stack pointer was left by longjmp; and on another
   stack, it may be another call. */
__attribute__((always_inline)) static inline bool holds_quick(struct quick *quick,
							      const volatile void *address)
{
	if (unlikely(!holds_known(quick, address, ALONE)))
		return false;
	const struct frame *top = quick->me->top;
	quick->call = (uint32_t)top->branch->site;
	return likely(hotpath__stack_pointer() - quick->me->stack_low <= top->height);
}

/**
 * As holds_acquired, for a lock that one thread holds. Processors read their clock when all before that is done, so it is
 * the last thing here; and what can be found without the lock was found before.
 */
__attribute__((always_inline)) static inline void holds_acquire_at_once(const struct quick *quick,
									uintptr_t from)
{
	struct lock *lock = quick->lock;

	add(&quick->stat->flow[HP_LOCK_ACQUIRED], 1);
	store(&lock->hold.from, from, RELAXED);
	store(&lock->hold.call, quick->call, RELAXED);
	store(&lock->hold.tid, quick->me->tid, RELAXED);
	store(&lock->stat, quick->stat, RELAXED);
	store(&lock->place, hotpath__hold(quick->me, load(&lock->number, RELAXED)), RELAXED);
	store(&lock->hold.since,
	      likely(load(&holds_are_timed, RELAXED)) ? hotpath__counter() : HELD, RELAXED);
}

/**
 * Like holds_end, for a lock that the real function will release in any case: the hold is to be recorded at once after
 * that. Returns false if nothing was done.
 */
__attribute__((always_inline)) static inline bool holds_end_at_once(struct quick *quick,
								    struct ending *ending,
								    const volatile void *address)
{
	if (unlikely(!holds_find(quick, address)))
		return false;
	struct lock *lock = quick->lock;
	quick->stat = load(&lock->stat, RELAXED);
	quick->place = load(&lock->place, RELAXED);
	ending->since = load(&lock->hold.since, RELAXED);
	ending->until = 0;
	/* It may be that another thread has acquired it. */
	if (unlikely(!quick->stat || load(&lock->hold.tid, RELAXED) != quick->me->tid))
		return false;
	if (likely(ending->since != HELD)) {
		/* It may have been acquired in an earlier session, or recording has stopped. */
		if (unlikely(ending->since < load(&quick->me->fast_since, RELAXED)))
			return false;
		ending->until = hotpath__counter();
	}
	hotpath__unhold(quick->me, quick->place);
	store(&lock->hold.since, 0, RELAXED);
	return true;
}

__attribute__((always_inline)) static inline void holds_ended_at_once(const struct quick *quick,
								      const struct ending *ending)
{
	struct hp_stat *stat = quick->stat;
	uint64_t ticks = ending->until - ending->since;

	hotpath__free_place(quick->me, quick->place);
	if (unlikely(!ending->until))
		return;
	/* The clocks of two processors may differ a little. */
	if (unlikely((int64_t)ticks < 0))
		ticks = 0;
	uint64_t calls = stat->calls;
	store_pair(&stat->ring[calls % HP_RING].end, ending->until, ticks & HP_CALL_DURATION);
	store(&stat->calls, calls + 1, RELAXED);
	if (unlikely((calls + 1) % HP_FLUSH == 0))
		hotpath__ring_is_due(quick->me, stat);
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
