/* SPDX-License-Identifier: MIT */
/* What is done when a lock is acquired, waited for and released. */
#include "holds.h"

#include "probe.h"

#include <string.h>

enum {
	/* Locks that a thread may hold as a reader at once, and have their times known. */
	READING = 8,
	/* Waits and holds that a thread may owe; if there are more, they are recorded at once. */
	OWED = 4,
};

const struct lock_kind MUTEX = { HP_SITE_MUTEX, ALONE },
		       READ_LOCK = { HP_SITE_READ_LOCK, SHARED_MODE },
		       WRITE_LOCK = { HP_SITE_WRITE_LOCK, ALONE },
		       SPIN_LOCK = { HP_SITE_SPIN_LOCK, ALONE },
		       OWN_LOCK = { HP_SITE_OWN_LOCK, ALONE },
		       TARGET = { HP_SITE_TARGET, TARGET_MODE };

/* A lock that this thread holds as a reader. */
struct reading {
	const volatile void *address;
	uint32_t site;
	struct hold hold;
};

/* A wait for a lock; or a hold that a condition has ended, or the wait for that. To be recorded when this thread has released a
   lock. */
struct owed {
	bool is_wait;
	/* The lock, or the row of the wait for a condition. */
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
	/* The stack pointer of code of ours that is at work; 0 for none. What that calls, or a signal handler that
	   interrupts it, has a lower one. If the program left it by longjmp, the next call has a higher one. */
	uintptr_t inside;
	unsigned reading_count;
	struct reading reading[READING];
	struct owed owed[OWED];
} mine __attribute__((tls_model("initial-exec")));

__thread unsigned holds_owed __attribute__((tls_model("initial-exec")));

static void enter(uintptr_t sp)
{
	mine.inside = sp;
	signal_fence();
}

static void leave(void)
{
	signal_fence();
	mine.inside = 0;
}

bool holds_on(void)
{
	return (likely(holds_state_at) || holds_find_out()) &&
	       likely(mine.inside <= hotpath__stack_pointer());
}

/* ---- sites ---- */

/* Pages that have no static variables, as far as the recorder knows: a program may make millions of locks in the heap. */
static uintptr_t heap_pages[1024];

enum { PAGE_BITS = 12 };

static uintptr_t *page_slot(uintptr_t address)
{
	uintptr_t page = address >> PAGE_BITS;

	return &heap_pages[page % (sizeof(heap_pages) / sizeof(*heap_pages))];
}

static bool is_in_heap(uintptr_t address)
{
	return load(page_slot(address), RELAXED) == address >> PAGE_BITS;
}

static uint32_t register_site(const struct lock *lock, const struct lock_kind *kind, uintptr_t from)
{
	uintptr_t place = lock->made_by ? lock->made_by : from;
	bool is_static;

	if (lock->label[0])
		return hotpath__labelled_site(kind->site, lock->label);
	if (is_in_heap(lock->key))
		return hotpath__flow_site(kind->site, NULL, place - 1);
	uint32_t site = hotpath__lock_site(kind->site, lock->key, place, &is_static);
	if (site && !is_static)
		store(page_slot(lock->key), lock->key >> PAGE_BITS, RELAXED);
	return site;
}

/* Several threads may do this at the same time. */
static void set_number(struct lock *lock)
{
	uint32_t none = 0;

	if (!load(&lock->number, RELAXED))
		__atomic_compare_exchange_n(&lock->number, &none, hotpath__lock_number(), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

SELDOM static uint32_t new_site(struct lock *lock, const struct lock_kind *kind, uintptr_t from)
{
	uint32_t site = register_site(lock, kind, from), none = 0;

	if (!site)
		return 0;
	set_number(lock);
	/* Several readers may do this at the same time. */
	if (!__atomic_compare_exchange_n(&lock->sites[kind->mode], &none, site, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return none;
	hotpath__instance(site, true);
	return site;
}

static uint32_t site_of(struct lock *lock, const struct lock_kind *kind, uintptr_t from)
{
	uint32_t site = load(&lock->sites[kind->mode], RELAXED);

	return likely(site) ? site : new_site(lock, kind, from);
}

static struct lock *lock_of(const volatile void *address)
{
	struct lock *lock = locks_find(address);

	return likely(lock != NULL) ? lock : locks_add(address);
}

SELDOM static void prepare(const volatile void *address, const struct lock_kind *kind,
			   uintptr_t from)
{
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(address);
	uint32_t site = lock ? site_of(lock, kind, from) : 0;

	if (site)
		hotpath__prepare(site);
	leave();
}

bool holds_ready(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	struct quick quick;

	if (likely(holds_quick(&quick, address, kind->mode)))
		return true;
	if (!holds_on())
		return false;
	prepare(address, kind, from);
	return true;
}

/* ---- what is owed ---- */

/* The site of a function: that of the measured call, or of the call of the lock's function. */
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

static void record_wait(const struct owed *owed)
{
	uint64_t ticks = ticks_of(owed);
	uint32_t holder = owed->by_readers ? HP_HELD_BY_READERS : function_of(&owed->holder);
	uint32_t edge = hotpath__edge_site(HP_SITE_LOCK_WAIT, function_of(&owed->waiter), holder,
					   owed->site);

	hotpath__happened(&(struct hotpath__event){ .site = owed->site,
						    .timed = 1U << 1,
						    .counts[HP_LOCK_CONTENDED] = 1,
						    .ticks[1] = ticks,
						    .slowest = owed->waiters });
	hotpath__happened(
		&(struct hotpath__event){ .site = edge, .timed = 1U << 0, .ticks[0] = ticks });
}

SELDOM static void pay(void)
{
	for (unsigned i = 0; i < holds_owed; i++) {
		const struct owed *owed = &mine.owed[i];
		if (owed->is_wait)
			record_wait(owed);
		else
			hotpath__released(owed->site, owed->since, owed->until);
	}
	holds_owed = 0;
}

static void owe(const struct owed *owed)
{
	if (holds_owed == OWED)
		pay();
	mine.owed[holds_owed++] = *owed;
}

/* ---- acquiring ---- */

/* The state of this thread; NULL when it has none of its own. */
static struct thread *own_state(void)
{
	struct thread *me = *(struct thread **)(void *)(hotpath__thread_pointer() + holds_state_at);

	return likely(me && me->busy != SHARED) ? me : NULL;
}

static void note_reader(struct lock *lock, uint32_t site, const struct hold *hold)
{
	fetch_add(&lock->readers, 1, RELAXED);
	if (mine.reading_count < READING)
		mine.reading[mine.reading_count++] =
			(struct reading){ (const volatile void *)lock->key, site, *hold };
	else
		hotpath__lock_lost();
}

static void note_holder(struct lock *lock, const struct hold *hold)
{
	store(&lock->hold.from, hold->from, RELAXED);
	store(&lock->hold.call, hold->call, RELAXED);
	store(&lock->hold.tid, hold->tid, RELAXED);
	store(&lock->hold.since, load(&holds_are_timed, RELAXED) ? hold->since : HELD, RELAXED);
}

/* `timed` if the time matters: to know how long the lock will be held, or how long the thread has waited. */
static struct hold acquire(struct lock *lock, const struct lock_kind *kind, uint32_t site,
			   uintptr_t from, bool timed)
{
	struct hotpath__here here = hotpath__acquired(site, timed);
	struct hold hold = { here.ticks, from, here.call, here.tid };
	struct thread *me = own_state();

	if (unlikely(!here.ticks))
		return hold;
	if (likely(kind->mode == ALONE))
		note_holder(lock, &hold);
	else
		note_reader(lock, site, &hold);
	if (me)
		hotpath__hold(me, load(&lock->number, RELAXED));
	return hold;
}

void holds_acquired(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(address);
	uint32_t site = likely(lock != NULL) ? site_of(lock, kind, from) : 0;

	if (likely(site))
		acquire(lock, kind, site, from, load(&holds_are_timed, RELAXED));
	else if (!lock)
		hotpath__lock_lost();
	leave();
}

void holds_again(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(address);
	uint32_t site = lock ? site_of(lock, kind, from) : 0;

	if (site)
		hotpath__acquired(site, false);
	else if (!lock)
		hotpath__lock_lost();
	leave();
}

void holds_refused(const volatile void *address, const struct lock_kind *kind, uintptr_t from)
{
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(address);
	uint32_t site = lock ? site_of(lock, kind, from) : 0;

	hotpath__happened(&(struct hotpath__event){ .site = site, .counts[HP_LOCK_REFUSED] = 1 });
	leave();
}

/* ---- waiting ---- */

/* Who holds a lock, or if since is 0, who did so last. */
static struct hold holder_of(const struct lock *lock)
{
	return (struct hold){ load(&lock->hold.since, RELAXED), load(&lock->hold.from, RELAXED),
			      load(&lock->hold.call, RELAXED), load(&lock->hold.tid, RELAXED) };
}

/* The thread says in its lane that it waits, and for whom. A holder that has not noted itself yet is known to the C library,
   maybe. */
static void begin_blocking(struct waiting *waiting)
{
	const struct hold *holder = &waiting->holder;
	struct lock *lock = waiting->lock;

	waiting->blocking = (struct hotpath__blocking){
		.reason = HP_REASON_LOCK,
		.target = site_of(lock, waiting->kind, waiting->from),
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
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(address);

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
	leave();
}

/* Who waited for a lock and got it, or did not. */
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
	uint32_t site = outcome == FAILED ? 0 : site_of(lock, waiting->kind, waiting->from);

	if (!site)
		return;
	/* The holder may not have noted yet that it is, when the wait began. Now it has, and was the last. */
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
		owe(&owed);
		return;
	}
	record_wait(&owed);
	hotpath__happened(&(struct hotpath__event){ .site = site, .counts[HP_LOCK_REFUSED] = 1 });
}

void holds_waited(const struct waiting *waiting, enum outcome outcome)
{
	if (!waiting->lock) {
		hotpath__lock_lost();
		return;
	}
	enter(hotpath__stack_pointer());
	/* Before the thread notes that it holds the lock: it never seems to wait for itself. */
	hotpath__block_over(&waiting->blocking);
	/* A thread that waits is not where the lock is destroyed; but its slot may be another lock's, if it was. */
	if (load(&waiting->lock->key, RELAXED) == (uintptr_t)waiting->address)
		end_wait(waiting->lock, waiting, outcome);
	leave();
}

/* ---- releasing ---- */

/* A lock that this thread holds as a reader; the last one, if it has acquired it several times. */
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

/* The hold of a reader ends, or of nobody that was recorded. */
SELDOM static struct ending end_reading(struct lock *lock)
{
	struct reading *reading = find_reading((const volatile void *)lock->key);
	struct ending ending = { 0, 0, 0 };
	struct thread *me = own_state();

	if (load(&lock->readers, RELAXED))
		fetch_add(&lock->readers, -1U, RELAXED);
	if (me)
		hotpath__unhold(me, load(&lock->number, RELAXED));
	if (!reading)
		return ending;
	if (load(&holds_are_timed, RELAXED))
		ending = (struct ending){ reading->site, reading->hold.since,
					  hotpath__probe_ticks() };
	forget_reading(reading);
	return ending;
}

/* A lock that one thread acquires and another one releases has no holder that could be relied on. */
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
	if (is_mine)
		hotpath__unhold(me, load(&lock->number, RELAXED));
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
	enter(hotpath__stack_pointer());
	if (likely(ending->site))
		hotpath__released(ending->site, ending->since, ending->until);
	if (unlikely(holds_owed))
		pay();
	leave();
}

void holds_owe(const struct ending *ending)
{
	enter(hotpath__stack_pointer());
	if (ending->site)
		owe(&(struct owed){
			.site = ending->site, .since = ending->since, .until = ending->until });
	leave();
}

/* ---- creation and end ---- */

static void forget(struct lock *lock)
{
	for (unsigned i = 0; i < MODES; i++)
		if (lock->sites[i])
			hotpath__instance(lock->sites[i], false);
	locks_forget(lock);
}

void holds_made(const volatile void *address, uintptr_t from)
{
	enter(hotpath__stack_pointer());
	struct lock *lock = locks_find(address);

	/* A lock at the same address was never destroyed. */
	if (lock)
		forget(lock);
	lock = locks_add(address);
	if (lock)
		lock->made_by = from;
	leave();
}

void holds_gone(const volatile void *address)
{
	struct lock *lock = locks_find(address);

	if (!lock)
		return;
	enter(hotpath__stack_pointer());
	forget(lock);
	leave();
}

/* ---- what is waited for, and is no lock ---- */

uint32_t holds_target(const volatile void *address, uintptr_t from)
{
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(address);
	uint32_t site = lock ? site_of(lock, &TARGET, from) : 0;

	leave();
	return site;
}

uint32_t holds_futex(const volatile void *address, uintptr_t from)
{
	if (locks_find(address) || !is_in_heap((uintptr_t)address))
		return holds_target(address, from);
	return hotpath__flow_site(HP_SITE_TARGET, NULL, from - 1);
}

/* The site is registered anew when the lock is acquired again. */
void holds_label(const void *object, const char *label)
{
	if (!holds_on())
		return;
	enter(hotpath__stack_pointer());
	struct lock *lock = lock_of(object);

	if (lock) {
		strncpy(lock->label, label, LOCK_LABEL - 1);
		for (unsigned i = 0; i < MODES; i++)
			store(&lock->sites[i], 0, RELAXED);
	}
	leave();
}
