/* SPDX-License-Identifier: MIT */
/* Records that a lock is acquired, waited for and released. */
#include "holds.h"

#include "lock_sites.h"
#include "probe.h"

enum {
	/* Locks that a thread may hold as a reader at once, and have their times known. */
	READING = 8,
	/* Waits and holds that a thread may owe; if there are more, they are recorded at once. */
	OWED = 4,
};

/* A lock that this thread holds as a reader. */
struct reading {
	const volatile void *address;
	uint32_t site;
	struct hold hold;
};

/* An event that this thread records when it has released a lock: a wait for a lock, a hold that a wait for a condition
   has ended, or that wait itself. */
struct owed {
	bool is_wait;
	/* The site of the lock; or that of the wait for a condition. */
	uint32_t site;
	uint64_t since;
	uint64_t until;
	uint32_t waiters;
	/* Who waited, and who held the lock. */
	struct hold waiter;
	struct hold holder;
	bool by_readers;
};

static __thread struct {
	unsigned reading_count;
	struct reading reading[READING];
	/* The thread that owes: a forked child has a copy, and owes nothing of it. */
	uint32_t debtor;
	struct owed owed[OWED];
} mine __attribute__((tls_model("initial-exec")));

__thread unsigned holds_owed __attribute__((tls_model("initial-exec")));
__thread uintptr_t holds_inside __attribute__((tls_model("initial-exec")));

bool holds_on(void)
{
	return (likely(holds_state_at) || holds_find_out()) &&
	       likely(holds_inside <= hotpath__stack_pointer());
}

/* ---- before a lock is acquired ---- */

SELDOM static void prepare(const volatile void *address, const struct lock_kind *kind,
			   uintptr_t from)
{
	holds_enter();
	struct lock *lock = holds_lock_at(address);
	uint32_t site = lock ? holds_site_of(lock, kind, from) : 0;

	if (site)
		hotpath__prepare(site);
	holds_leave();
}

bool holds_ready(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	struct quick quick;

	if (likely(holds_known(&quick, address, kind->mode)))
		return true;
	if (!holds_on())
		return false;
	prepare(address, kind, from);
	return true;
}

/* ---- what is owed ---- */

/* The site to show for who waits or holds: the innermost measured call, or else the call of the lock's function. */
static uint32_t function_of(const struct hold *hold)
{
	if (hold->call || !hold->from)
		return hold->call;
	return hotpath__flow_site(HP_SITE_CALL, NULL, hold->from);
}

static uint64_t ticks_of(const struct owed *owed)
{
	return owed->until > owed->since ? owed->until - owed->since : 0;
}

/* The site of who waits for whom. */
static uint32_t edge_of(const struct owed *owed)
{
	uint32_t holder = owed->by_readers ? HP_HELD_BY_READERS : function_of(&owed->holder);

	return hotpath__edge_site(HP_SITE_LOCK_WAIT, function_of(&owed->waiter), holder,
				  owed->site);
}

static void record_wait(const struct owed *owed)
{
	uint64_t ticks = ticks_of(owed);
	uint32_t edge = edge_of(owed);

	hotpath__happened(&(struct hotpath__event){ .site = owed->site,
						    .timed = 1U << 1,
						    .counts[HP_LOCK_CONTENDED] = 1,
						    .ticks[1] = ticks,
						    .slowest = owed->waiters });
	hotpath__happened(
		&(struct hotpath__event){ .site = edge, .timed = 1U << 0, .ticks[0] = ticks });
}

/* Drop what a thread of the parent owes, who pays it. A child of vfork is that thread still. A thread that is not recording has
   no number, or is about to end. */
static void forget_inherited(uint32_t tid)
{
	if (holds_owed && tid && mine.debtor && mine.debtor != tid)
		holds_owed = 0;
}

SELDOM static void pay(void)
{
	forget_inherited(hotpath__here().tid);
	for (unsigned i = 0; i < holds_owed; i++) {
		const struct owed *owed = &mine.owed[i];
		if (owed->is_wait)
			record_wait(owed);
		else
			hotpath__released(owed->site, owed->since, owed->until);
	}
	holds_owed = 0;
}

static void owe(const struct owed *owed, uint32_t tid)
{
	forget_inherited(tid);
	if (holds_owed == OWED)
		pay();
	mine.debtor = tid;
	mine.owed[holds_owed++] = *owed;
}

/* ---- acquiring ---- */

/* The state of this thread; NULL when it has none of its own. */
static struct thread *own_state(void)
{
	struct thread *me = hotpath__thread_word(holds_state_at);

	return likely(me && me->busy != SHARED) ? me : NULL;
}

static void note_reader(struct lock *lock, uint32_t site, const struct hold *hold,
			struct thread *me)
{
	fetch_add(&lock->readers, 1, RELAXED);
	if (me)
		hotpath__hold(me, load(&lock->number, RELAXED));
	if (mine.reading_count < READING)
		mine.reading[mine.reading_count++] =
			(struct reading){ (const volatile void *)lock->key, site, *hold };
	else
		hotpath__lock_lost();
}

/* The stat that lets the holder release the lock on the fast path; NULL for a thread that owes something, which must
   record that then. */
static struct hp_stat *stat_of(struct lock *lock, const struct thread *me)
{
	return me && !holds_owed ? holds_stat(me, load(&lock->sites[ALONE], RELAXED)) : NULL;
}

static void note_holder(struct lock *lock, const struct hold *hold, struct thread *me)
{
	unsigned place = me ? hotpath__hold(me, load(&lock->number, RELAXED)) : HP_HELD_MAX;

	store(&lock->hold.from, hold->from, RELAXED);
	store(&lock->hold.call, hold->call, RELAXED);
	store(&lock->hold.tid, hold->tid, RELAXED);
	store(&lock->stat, stat_of(lock, me), RELAXED);
	store(&lock->place, place, RELAXED);
	store(&lock->hold.since, load(&holds_are_timed, RELAXED) ? hold->since : HELD, RELAXED);
}

/* Count that a lock was acquired, and note its holder. `timed`: the time is needed, as the end of a wait or the start of
   a hold. */
static struct hold acquire(struct lock *lock, const struct lock_kind *kind, uint32_t site,
			   uintptr_t from, bool timed)
{
	struct hotpath__here here = hotpath__acquired(site, timed);
	struct hold hold = { here.ticks, from, here.call, here.tid };
	struct thread *me = own_state();

	if (unlikely(!here.ticks))
		return hold;
	if (likely(kind->mode == ALONE))
		note_holder(lock, &hold, me);
	else
		note_reader(lock, site, &hold, me);
	return hold;
}

void holds_acquired(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	holds_enter();
	struct lock *lock = holds_lock_at(address);
	uint32_t site = likely(lock != NULL) ? holds_site_of(lock, kind, from) : 0;

	if (likely(site))
		acquire(lock, kind, site, from, load(&holds_are_timed, RELAXED));
	else if (!lock)
		hotpath__lock_lost();
	holds_leave();
}

void holds_again(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	holds_enter();
	struct lock *lock = holds_lock_at(address);
	uint32_t site = lock ? holds_site_of(lock, kind, from) : 0;

	if (site)
		hotpath__acquired(site, false);
	else if (!lock)
		hotpath__lock_lost();
	holds_leave();
}

/* The holder of a lock; if since is 0, the last one. */
static struct hold holder_of(const struct lock *lock)
{
	return (struct hold){ load(&lock->hold.since, RELAXED), load(&lock->hold.from, RELAXED),
			      load(&lock->hold.call, RELAXED), load(&lock->hold.tid, RELAXED) };
}

/* A thread does not have the lock that it tried or waited for. */
static void refuse_lock(const struct owed *owed, unsigned in_vain)
{
	hotpath__happened(&(struct hotpath__event){ .site = owed->site,
						    .counts[HP_LOCK_REFUSED] = 1,
						    .counts[HP_LOCK_IN_VAIN] = in_vain });
}

/* A function does not have the lock: count it for the function and for the holder. */
static void refuse_function(const struct owed *owed)
{
	hotpath__happened(
		&(struct hotpath__event){ .site = edge_of(owed), .counts[HP_LOCK_REFUSED] = 1 });
}

/*
 * A thread that tries a lock which it holds itself wants to know just that, and stands in nobody's way. If no holder is noted, it may
 * be in another process.
 */
static void refuse_try(struct owed *owed, const struct lock *lock, uintptr_t from)
{
	struct hold holder = holder_of(lock);
	const struct hotpath__here here = hotpath__here();

	refuse_lock(owed, 0);
	if (holder.since && holder.tid == here.tid)
		return;
	owed->waiter = (struct hold){ .from = from, .call = here.call };
	if (holder.since)
		owed->holder = holder;
	owed->by_readers = !holder.since && load(&lock->readers, RELAXED);
	refuse_function(owed);
}

void holds_refused(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	holds_enter();
	struct lock *lock = holds_lock_at(address);
	struct owed owed = { .site = lock ? holds_site_of(lock, kind, from) : 0 };

	if (owed.site)
		refuse_try(&owed, lock, from);
	holds_leave();
}

/* ---- waiting ---- */

/* Write to the lane of this thread that it waits, and for whom. If the holder has not noted itself yet, the owner that
   the C library knows is taken. */
static void begin_blocking(struct waiting *waiting)
{
	const struct hold *holder = &waiting->holder;
	struct lock *lock = waiting->lock;

	waiting->blocking = (struct hotpath__blocking){
		.reason = HP_REASON_LOCK,
		.target = holds_site_of(lock, waiting->kind, waiting->from),
		.holder = holder->since ? holder->tid : waiting->owner,
		.holder_function = waiting->by_readers ? HP_HELD_BY_READERS
				   : holder->since     ? function_of(holder)
						       : 0,
		.lock = load(&lock->number, RELAXED),
		.is_timed = waiting->is_timed,
	};
	hotpath__block_begin(&waiting->blocking, waiting->from);
}

void holds_wait(struct waiting *waiting, const volatile void *address, const struct lock_kind *kind,
		uintptr_t from)
{
	holds_enter();
	struct lock *lock = holds_lock_at(address);

	waiting->lock = lock;
	waiting->kind = kind;
	waiting->address = address;
	waiting->from = from;
	waiting->since = hotpath__probe_ticks();
	if (lock) {
		waiting->holder = holder_of(lock);
		waiting->by_readers = !waiting->holder.since && load(&lock->readers, RELAXED);
		waiting->waiters = fetch_add(&lock->waiters, 1, RELAXED) + 1;
		begin_blocking(waiting);
	}
	holds_leave();
}

/* The thread that waited, as the new holder if it got the lock. Its `since` is the time when the wait ended. */
static struct hold waiter_of(struct lock *lock, const struct waiting *waiting, uint32_t site,
			     enum outcome outcome)
{
	if (outcome == ACQUIRED)
		return acquire(lock, waiting->kind, site, waiting->from, true);
	struct hotpath__here here = outcome == AGAIN ? hotpath__acquired(site, true)
						     : hotpath__here();
	return (struct hold){ here.ticks, waiting->from, here.call, here.tid };
}

static void end_wait(struct lock *lock, const struct waiting *waiting, enum outcome outcome)
{
	fetch_add(&lock->waiters, -1U, RELAXED);
	uint32_t site = outcome == FAILED ? 0 : holds_site_of(lock, waiting->kind, waiting->from);

	if (!site)
		return;
	/* When the wait began, the holder may not have noted itself yet. It has by now, and was the last one. */
	struct hold holder = waiting->holder.since ? waiting->holder : holder_of(lock);
	struct hold waiter = waiter_of(lock, waiting, site, outcome);
	if (!waiter.since)
		return;
	struct owed owed = { .is_wait = true,
			     .site = site,
			     .since = waiting->since,
			     .until = waiter.since,
			     .waiters = waiting->waiters,
			     .waiter = waiter,
			     .holder = holder,
			     .by_readers = waiting->by_readers };
	hotpath__waited(HP_REASON_LOCK, site, ticks_of(&owed), waiting->from);
	if (outcome != IN_VAIN) {
		owe(&owed, waiter.tid);
		store(&lock->stat, NULL, RELAXED);
		return;
	}
	record_wait(&owed);
	refuse_lock(&owed, 1);
	refuse_function(&owed);
}

void holds_waited(const struct waiting *waiting, enum outcome outcome)
{
	if (!waiting->lock) {
		hotpath__lock_lost();
		return;
	}
	holds_enter();
	/* The end of the wait is written before the thread notes itself as the holder: else it would seem to wait for itself. */
	hotpath__block_over(&waiting->blocking);
	/* If the lock was destroyed during the wait, its slot may belong to another lock. */
	if (load(&waiting->lock->key, RELAXED) == (uintptr_t)waiting->address)
		end_wait(waiting->lock, waiting, outcome);
	holds_leave();
}

/* ---- releasing ---- */

/* Find a lock that this thread holds as a reader. If it was acquired several times, the last of them is found. */
static struct reading *find_reading(const volatile void *address)
{
	for (unsigned i = mine.reading_count; i; i--)
		if (mine.reading[i - 1].address == address)
			return &mine.reading[i - 1];
	return NULL;
}

static void forget_reading(struct reading *reading)
{
	mine.reading_count--;
	*reading = mine.reading[mine.reading_count];
}

/* End the hold of a reader, or of a thread whose hold was not recorded. */
SELDOM static struct ending end_reading(struct lock *lock)
{
	struct reading *reading = find_reading((const volatile void *)lock->key);
	struct ending ending = { 0, 0, 0 };
	struct thread *me = own_state();

	if (load(&lock->readers, RELAXED))
		fetch_add(&lock->readers, -1U, RELAXED);
	if (me)
		hotpath__unhold_lock(me, load(&lock->number, RELAXED));
	if (!reading)
		return ending;
	if (load(&holds_are_timed, RELAXED))
		ending = (struct ending){ reading->site, reading->hold.since,
					  hotpath__probe_ticks() };
	forget_reading(reading);
	return ending;
}

/* Whether this thread has acquired the lock. If another one has, and the real function does not check that, the lock
   loses its number: threads hand it over, so its holder cannot be relied on. */
static bool is_of(struct lock *lock, struct thread *me, bool checks)
{
	if (likely(me && load(&lock->hold.tid, RELAXED) == me->tid))
		return true;
	if (!checks)
		store(&lock->number, 0, RELAXED);
	return false;
}

struct ending holds_end(const volatile void *address, bool checks)
{
	struct ending ending = { 0, 0, 0 };
	struct lock *lock = locks_find(address);

	if (unlikely(!lock))
		return ending;
	uint64_t since = load(&lock->hold.since, RELAXED);
	if (unlikely(!since))
		return end_reading(lock);
	struct thread *me = own_state();
	bool is_mine = is_of(lock, me, checks);
	if (checks && !is_mine)
		return ending;
	if (is_mine) {
		hotpath__unhold(me, load(&lock->place, RELAXED));
		hotpath__free_place(me, load(&lock->place, RELAXED));
	}
	store(&lock->hold.since, 0, RELAXED);
	if (since != HELD)
		ending = (struct ending){ load(&lock->sites[ALONE], RELAXED), since,
					  hotpath__probe_ticks() };
	return ending;
}

void holds_ended(const struct ending *ending)
{
	if (!ending->site && !holds_owed)
		return;
	holds_enter();
	if (likely(ending->site))
		hotpath__released(ending->site, ending->since, ending->until);
	if (unlikely(holds_owed))
		pay();
	holds_leave();
}

void holds_owe(const struct ending *ending)
{
	holds_enter();
	if (ending->site)
		owe(&(struct owed){ .site = ending->site,
				    .since = ending->since,
				    .until = ending->until },
		    hotpath__here().tid);
	holds_leave();
}

/* When the holder died is not known; the lock was kept until now. */
void holds_died(const volatile void *address)
{
	struct lock *lock = locks_find(address);
	uint64_t since = lock ? load(&lock->hold.since, RELAXED) : 0;

	if (!since)
		return;
	store(&lock->hold.since, 0, RELAXED);
	if (since != HELD)
		holds_owe(&(struct ending){ load(&lock->sites[ALONE], RELAXED), since,
					    hotpath__probe_ticks() });
}
