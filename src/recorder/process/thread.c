/* SPDX-License-Identifier: MIT */
/*
 * Threads: each gets a state and a lane at its first measured call and leaves them to the next thread
 * when it ends.
 *
 * What a thread counted stays in its lane, where it is right: a function's figures are sums over lanes.
 * Ending a thread therefore copies no calls, and no moment exists at which a killed process would have
 * counted one twice or not at all.
 */
#include "threads.h"

#include "calls/branch.h"
#include "calls/stack.h"
#include "clock.h"
#include "cpu/sampler.h"
#include "cpu/sampling.h"
#include "handover.h"
#include "lanes.h"
#include "lifecycle.h"
#include "memory/heap.h"
#include "platform.h"
#include "room.h"
#include "seccomp.h"
#include "segment_file.h"
#include "setup_time.h"
#include "sleds/waking.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

enum {
	/* Thread states that are mapped together. */
	BLOCK = 8,
	/* When there are so many thread states, and at each doubling, those of ended threads are looked for. */
	MANY = 64,
};

/* The round of thread-exit destructors in which a thread gives its state back. ThreadSanitizer frees its own data
   in the very last one, so it is one earlier there. */
#ifdef HP_TSAN
#define LAST_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define LAST_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif

static pthread_key_t exit_key;
static bool exit_key_made;

static struct thread *new_thread(void)
{
	struct recorder *recorder = hotpath__recorder;

	if (!recorder->spares) {
		recorder->spare = hotpath__map_own(BLOCK * sizeof(struct thread));
		if (!recorder->spare)
			return NULL;
		recorder->spares = BLOCK;
	}
	struct thread *me = recorder->spare;
	uint64_t lane = hotpath__segment_take(sizeof(struct hp_lane));
	if (!lane)
		return NULL;
	recorder->spare++;
	recorder->spares--;

	struct hp_header *header = hotpath__header();
	me->base = recorder->base;
	me->lane = (struct hp_lane *)(void *)(me->base + lane);
	me->lane->next = header->lanes;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->lanes, lane, RELEASE);
	store(&header->lane_count, header->lane_count + 1, RELAXED);
	me->next = recorder->threads;
	recorder->threads = me;
	recorder->thread_count++;
	me->frames = me->first;
	me->tallies = me->first_tallies;
	me->room = FRAMES_FIRST;
	hotpath__branch_init(me);
	return me;
}

void hotpath__refresh_name(struct thread *me)
{
	char name[17] = "";

	if (!me->name[0] && prctl(PR_GET_NAME, name) == 0)
		hotpath__lane_name(me->lane, name);
}

/* A thread without a state is not recorded yet. */
void hotpath__thread_renamed(void)
{
	struct thread *me = hotpath__me;

	if (me && me->busy == READY && !me->is_task)
		hotpath__refresh_name(me);
}

void hotpath__thread_session(struct thread *me, uint64_t start)
{
	store(&me->session_start, start, SEQ_CST);
	store(&me->fast_since, hotpath__monotonic ? UINT64_MAX : start, SEQ_CST);
}

static void reset_frames(struct thread *me)
{
	struct recorder *recorder = hotpath__recorder;
	bool stopped = hotpath__is_stopped(recorder->session);

	me->frames[0] = (struct frame){ .height = me->frames[0].height, .branch = &me->root };
	me->top = me->frames;
	store(&me->owner, NULL, RELAXED);
	me->limit = stopped || hotpath__monotonic ? me->frames : hotpath__last_frame(me);
	me->probes_open = !stopped && !hotpath__monotonic;
	for (unsigned i = 0; i < STRAYS; i++)
		store(&me->strays[i].key, 0, RELAXED);
	me->function_strays = 0;
	me->has_strays = false;
	me->own_locks = (struct own_locks){ .lock = NULL };
	me->fiber = 0;
	hotpath__thread_session(me, stopped ? UINT64_MAX : recorder->session_start);
	me->span_cost = recorder->span_cost;
	me->inner_cost = recorder->inner_cost;
	me->keeping_cost = recorder->keeping_cost;
}

void hotpath__close_hot_paths(const struct recorder *recorder)
{
	for (struct thread *thread = recorder->threads; thread; thread = thread->next) {
		store(&thread->limit, thread->frames, SEQ_CST);
		store(&thread->probes_open, false, SEQ_CST);
		store(&thread->owner, NULL, SEQ_CST);
	}
}

static void give_back(struct thread *me)
{
	struct recorder *recorder = hotpath__recorder;

	hotpath__wake_no_more(me);
	me->busy = READY;
	hotpath__abandon_all(me);
	me->busy = 0;
	if (me->is_task)
		hotpath__task_ends(me);
	store(&me->lane->tid, 0, RELAXED);
	me->next_free = recorder->free_threads;
	recorder->free_threads = me;
	if (me->interrupt)
		give_back(me->interrupt);
	me->interrupt = NULL;
}

void hotpath__thread_is_gone(struct thread *me)
{
	hotpath__thread_vanished(me);
	give_back(me);
}

static bool is_gone(const struct thread *thread)
{
	return thread->is_task ? hotpath__task_is_gone(thread) : hotpath__has_ended(thread->tid);
}

/*
 * Free the states of threads that are gone and whose destructor did not run: those that were created without libc, or
 * that measured after their last destructor. Done whenever the number of states is a power of two.
 */
static void reclaim(void)
{
	struct recorder *recorder = hotpath__recorder;
	unsigned count = recorder->thread_count;

	if (count < MANY || (count & (count - 1)))
		return;
	for (struct thread *thread = recorder->threads; thread; thread = thread->next)
		if (thread->busy && thread->tid && is_gone(thread))
			hotpath__thread_is_gone(thread);
}

static struct thread *take_state(uintptr_t sp)
{
	struct recorder *recorder = hotpath__recorder;

	if (!recorder->free_threads)
		reclaim();
	struct thread *me = recorder->free_threads;
	if (me)
		recorder->free_threads = me->next_free;
	else
		me = new_thread();
	if (!me)
		return NULL;
	me->tid = hotpath__tid();
	hotpath__drop_half_slot(me);
	if (me->session != recorder->session && !hotpath__is_stopped(recorder->session))
		hotpath__thread_renew(me, recorder->session);
	hotpath__thread_unloads(me);
	me->farewells = 0;
	me->name[0] = '\0';
	me->logged_by = NULL;
	me->blocked_sp = 0;
	me->is_locking = false;
	me->channel_wait.channel = NULL;
	store(&me->lane->blocked.since, 0, RELAXED);
	me->held_count = 0;
	me->waiter.is_ready = false;
	me->governed = (struct governed){ 0 };
	me->may_be_stale = false;
	for (unsigned i = 0; i < HP_HELD_MAX; i++)
		store(&me->lane->held[i], 0, RELAXED);
	hotpath__find_stack(me, sp);
	reset_frames(me);
	store(&me->lane->since, hotpath__ticks(), RELAXED);
	store(&me->lane->tenants.before_ns, hotpath__cpu_ns(CLOCK_THREAD_CPUTIME_ID), RELAXED);
	store(&me->lane->tenants.is_named, 0, RELAXED);
	store(&me->lane->tenants.user_ns, 0, RELAXED);
	store(&me->lane->tenants.system_ns, 0, RELAXED);
	store(&me->lane->generation, me->lane->generation + 1, RELAXED);
	store(&me->lane->tid, me->tid, RELAXED);
	hotpath__refresh_name(me);
	me->busy = READY;
	return me;
}

/* A task of a group has no thread-exit destructor, and is not sampled. */
static struct thread *join_group(struct thread *shared, struct thread *me)
{
	if (hotpath__task_begins(shared, me))
		return me;
	give_back(me);
	return NULL;
}

struct thread *hotpath__attach(uintptr_t sp)
{
	struct thread *me = take_state(sp);

	if (!me)
		return NULL;
	if (hotpath__me && hotpath__me->busy == SHARED)
		return join_group(hotpath__me, me);
	hotpath__me = me;
	me->is_locking = true;
	if (!hotpath__sampler)
		hotpath__sample_thread();
	/* glibc allocates memory for keys from 32 on; without the key, the thread is found by reclaim. */
	if (exit_key_made && exit_key < 32)
		pthread_setspecific(exit_key, me);
	return me;
}

struct thread *hotpath__attach_orphan(void)
{
	struct recorder *recorder = hotpath__recorder;

	if (!recorder->orphan) {
		recorder->orphan = take_state(hotpath__stack_pointer());
		if (recorder->orphan) {
			recorder->orphan->tid = 0;
			hotpath__lane_name(recorder->orphan->lane, "(ended threads)");
			store(&recorder->orphan->lane->tid, 0, RELAXED);
		}
	}
	return recorder->orphan;
}

struct thread *hotpath__attach_interrupt(struct thread *me)
{
	struct thread *second = take_state(hotpath__stack_pointer());

	if (second) {
		/* It is freed with the first state. */
		second->tid = 0;
		me->interrupt = second;
	}
	return second;
}

/* The thread-exit destructor. Other destructors of this thread may measure after it, so it waits for the last
   round. */
static void thread_ends(void *state)
{
	struct thread *me = state;
	struct guard guard;

	if (me != hotpath__me || !me->busy)
		return;
	if (++me->farewells < LAST_ROUND) {
		pthread_setspecific(exit_key, me);
		return;
	}
	hotpath__setup_begins();
	hotpath__lock(&guard);
	hotpath__refresh_name(me);
	hotpath__gone = true;
	hotpath__me = NULL;
	hotpath__thread_retires(me);
	give_back(me);
	hotpath__unlock(&guard);
	hotpath__setup_ends();
}

void hotpath__thread_key_init(void)
{
	if (!exit_key_made)
		exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
}

/* Called by the lane's own thread, or while it has none, because figures have one writer. */
void hotpath__thread_renew(struct thread *me, uint32_t session)
{
	struct recorder *recorder = hotpath__recorder;

	hotpath__zero_stats(me);
	hotpath__zero_nodes(me);
	hotpath__zero_memory(me);
	hotpath__zero_samples(me);
	hotpath__zero_ended(me);
	store(&me->lane->slow, 0, RELAXED);
	store(&me->lane->cost, 0, RELAXED);
	store(&me->lane->cost_calls, 0, RELAXED);
	for (unsigned i = 0; i < HP_COUNTERS_MAX; i++)
		store(&me->lane->counters[i], 0, RELAXED);
	store(&me->lane->tenants.before_ns, hotpath__cpu_ns(CLOCK_THREAD_CPUTIME_ID), RELAXED);
	me->governed = (struct governed){ 0 };
	hotpath__forget_sled_calls(me);
	me->session = session;
	hotpath__thread_session(me, load(&recorder->session_start, RELAXED));
	/* Pairs with the reader's ACQUIRE: the figures are those of this session. */
	store(&me->lane->session, hotpath__session_number(session), RELEASE);
	/* SEQ_CST pairs with the end of a session: one of the two threads sees the other's store. */
	if (load(&recorder->session, SEQ_CST) != session)
		hotpath__thread_session(me, UINT64_MAX);
}

/* If code was unloaded since this thread last checked, other code may have the addresses that it knows. */
void hotpath__thread_unloads(struct thread *me)
{
	/* ACQUIRE pairs with the RELEASE of unloading. */
	uint32_t unloads = load(&hotpath__recorder->unloads, ACQUIRE);
	struct guard guard;

	if (likely(me->unloads == unloads))
		return;
	hotpath__lock(&guard);
	hotpath__forget_addresses(me);
	hotpath__forget_calls(me);
	memset(me->io_places, 0, sizeof(me->io_places));
	me->unloads = unloads;
	hotpath__unlock(&guard);
}

void hotpath_thread_name(const char *name)
{
	struct thread *me;

	if (hotpath__state() == STATE_HANDED_OVER) {
		hotpath__recorder->other->thread_name(name);
		return;
	}
	me = hotpath__enter(hotpath__stack_pointer());
	if (!me || !name)
		return;
	strncpy(me->name, name, sizeof(me->name) - 1);
	store(&me->lane->tenants.is_named, 1, RELAXED);
	hotpath__lane_name(me->lane, me->name);
}
