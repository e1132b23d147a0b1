/* SPDX-License-Identifier: MIT */
/*
 * What is kept of threads that have ended.
 *
 * All of them are added to sums in their lanes, and to those of their name, so their number does not matter. Those that
 * used most CPU time also have a row each in a small table. All of this is written with the lock held.
 *
 * The process may be killed at any moment, and no thread may be counted twice then: a thread is removed from its lane
 * first, then added to the sums of the lane, then to those of its name, then to the table. In between it is missing for a
 * moment.
 */
#include "threads.h"

#include "clock.h"
#include "cpu/sampler.h"
#include "kernel_files.h"
#include "lanes.h"
#include "recorder_state.h"
#include "seccomp.h"
#include "segment_file.h"

#include <errno.h>
#include <string.h>

struct thread_times {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t queue_ns;
};

/* User and system time as the kernel computes them: the sum is exact, and divided in the proportion of the samples
   that the kernel takes at each tick. */
static struct thread_times times_of(uint32_t tid)
{
	uint64_t all = hotpath__cpu_ns(hotpath__thread_clock(tid, THREAD_CLOCK_EXACT));
	uint64_t ticks = hotpath__cpu_ns(hotpath__thread_clock(tid, THREAD_CLOCK_TICKS));
	uint64_t user = hotpath__cpu_ns(hotpath__thread_clock(tid, THREAD_CLOCK_USER_TICKS));
	uint64_t queue;

	if (user < ticks)
		user = (uint64_t)((double)all * ((double)user / (double)ticks));
	else
		user = all;
	if (!hotpath__queued_so_far(tid, &queue))
		queue = 0;
	return (struct thread_times){ user, all - user, queue };
}

/* A table at an offset that the header has; it is allocated if there is none yet. NULL when there is no room. */
static struct hp_ended *table(uint64_t *offset, unsigned rows)
{
	struct hp_header *header = hotpath__header();

	/* Pairs with the reader's ACQUIRE: the table is zero. */
	if (!*offset)
		store(offset, hotpath__segment_take(rows * sizeof(struct hp_ended)), RELEASE);
	return *offset ? (struct hp_ended *)(void *)((char *)header + *offset) : NULL;
}

/* ---- rows of single threads ---- */

/* A free row, or the row with the least CPU time; NULL when that has more than the new thread. */
static struct hp_ended *place_for(const struct hp_ended *ended)
{
	struct hp_ended *rows = table(&hotpath__header()->ended, HP_ENDED_MAX), *least = rows;

	for (unsigned i = 0; rows && i < HP_ENDED_MAX; i++) {
		if (!rows[i].tid)
			return &rows[i];
		if (rows[i].user_ns + rows[i].system_ns < least->user_ns + least->system_ns)
			least = &rows[i];
	}
	if (least && ended->user_ns + ended->system_ns <= least->user_ns + least->system_ns)
		return NULL;
	return least;
}

static void put_row(const struct hp_ended *ended)
{
	struct hp_ended *row = place_for(ended);

	if (!row)
		return;
	/* tid is 0 while the row is written. A reader that copies the segment at this moment may still see a
	   mixture of two threads; a killed process leaves none. */
	store(&row->tid, 0, RELAXED);
	for (unsigned i = 0; i < HP_NAME_MAX; i++)
		store(&row->name[i], ended->name[i], RELAXED);
	store(&row->since, ended->since, RELAXED);
	store(&row->until, ended->until, RELAXED);
	store(&row->before_ns, ended->before_ns, RELAXED);
	store(&row->user_ns, ended->user_ns, RELAXED);
	store(&row->system_ns, ended->system_ns, RELAXED);
	store(&row->bytes, ended->bytes, RELAXED);
	store(&row->freed_bytes, ended->freed_bytes, RELAXED);
	store(&row->rounded_bytes, ended->rounded_bytes, RELAXED);
	store(&row->queue_ns, ended->queue_ns, RELAXED);
	/* Pairs with the reader's ACQUIRE: the row is complete. */
	store(&row->tid, ended->tid, RELEASE);
}

/* ---- sums of a name ---- */

/* The row of a thread's name; else a free one. NULL when there are too many names. */
static struct hp_ended *find_name(const struct hp_ended *ended)
{
	struct hp_ended *rows = table(&hotpath__header()->ended_names, HP_ENDED_NAMES);

	for (unsigned i = 0; rows && i < HP_ENDED_NAMES; i++)
		if (!rows[i].tid || memcmp(rows[i].name, ended->name, HP_NAME_MAX) == 0)
			return &rows[i];
	return NULL;
}

static void begin_name(struct hp_ended *row, const struct hp_ended *ended)
{
	for (unsigned i = 0; i < HP_NAME_MAX; i++)
		store(&row->name[i], ended->name[i], RELAXED);
	store(&row->threads, 0, RELAXED);
	store(&row->since, ended->since, RELAXED);
	store(&row->before_ns, 0, RELAXED);
	store(&row->user_ns, 0, RELAXED);
	store(&row->system_ns, 0, RELAXED);
	store(&row->bytes, 0, RELAXED);
	store(&row->freed_bytes, 0, RELAXED);
	store(&row->rounded_bytes, 0, RELAXED);
	store(&row->queue_ns, 0, RELAXED);
	store(&row->lived, 0, RELAXED);
	/* Pairs with the reader's ACQUIRE: the sums are zero. */
	store(&row->tid, ended->tid, RELEASE);
}

static void add_to_name(const struct hp_ended *ended)
{
	struct hp_ended *row = find_name(ended);

	if (!row)
		return;
	if (!row->tid)
		begin_name(row, ended);
	store(&row->threads, row->threads + 1, RELAXED);
	store(&row->until, ended->until, RELAXED);
	add(&row->before_ns, ended->before_ns);
	add(&row->user_ns, ended->user_ns);
	add(&row->system_ns, ended->system_ns);
	add(&row->bytes, ended->bytes);
	add(&row->freed_bytes, ended->freed_bytes);
	add(&row->rounded_bytes, ended->rounded_bytes);
	add(&row->queue_ns, ended->queue_ns);
	add(&row->lived, ended->until - ended->since);
}

/* ---- sums of a lane ---- */

/* Move what the thread has allocated and freed in a lane to the sums of ended threads. */
static void add_memory(struct hp_ended *ended, struct hp_lane *lane)
{
	struct hp_tenants *tenants = &lane->tenants;
	uint64_t freed = tenants->freed_bytes + tenants->quick_freed_bytes;
	uint64_t rounded = tenants->rounded_bytes + tenants->quick_rounded_bytes;

	ended->bytes += lane->bytes - tenants->ended_bytes;
	ended->freed_bytes += freed - tenants->ended_freed_bytes;
	ended->rounded_bytes += rounded - tenants->ended_rounded_bytes;
	store(&tenants->ended_bytes, lane->bytes, RELAXED);
	store(&tenants->ended_freed_bytes, freed, RELAXED);
	store(&tenants->ended_rounded_bytes, rounded, RELAXED);
}

/* Whether a lane has figures of the present session. If not, no thread has ended in it in this session. */
static bool is_present(const struct thread *thread)
{
	return hotpath__session_number(thread->session) ==
	       hotpath__session_number(hotpath__recorder->session);
}

static void add_to_lane(struct hp_ended *ended, struct thread *thread)
{
	struct hp_tenants *tenants = &thread->lane->tenants;

	add(&tenants->ended, 1);
	add(&tenants->ended_user_ns, ended->user_ns);
	add(&tenants->ended_system_ns, ended->system_ns);
	add(&tenants->ended_queue_ns, ended->queue_ns);
	add_memory(ended, thread->lane);
	if (thread->interrupt && is_present(thread->interrupt))
		add_memory(ended, thread->interrupt->lane);
}

static void retire(struct thread *thread, struct thread_times times)
{
	struct hp_lane *lane = thread->lane;
	struct hp_ended ended = { .tid = thread->tid,
				  .since = lane->since,
				  .until = hotpath__ticks(),
				  .before_ns = lane->tenants.before_ns,
				  .user_ns = times.user_ns,
				  .system_ns = times.system_ns,
				  .queue_ns = times.queue_ns };

	store(&lane->tid, 0, RELAXED);
	if (thread->interrupt)
		store(&thread->interrupt->lane->tid, 0, RELAXED);
	if (!is_present(thread))
		return;
	add_to_lane(&ended, thread);
	for (unsigned i = 0; i < HP_NAME_MAX; i++)
		ended.name[i] = lane->name[i];
	/* Else nobody knows its times, nor when it ended. */
	if (times.user_ns + times.system_ns) {
		add_to_name(&ended);
		put_row(&ended);
	}
}

void hotpath__thread_retires(struct thread *me)
{
	retire(me, times_of(me->tid));
}

void hotpath__thread_vanished(struct thread *thread)
{
	retire(thread, (struct thread_times){ 0, 0, 0 });
}

/* The kernel's name may be newer than the lane's: threads are often named after they have begun to run. */
static void refresh_name(struct hp_lane *lane)
{
	char name[17];

	if (hotpath__read_task(lane->tid, "comm", name, sizeof(name)) <= 0)
		return;
	name[strcspn(name, "\n")] = '\0';
	hotpath__lane_name(lane, name);
}

void hotpath__note_threads(void)
{
	int saved_errno = errno;

	/* A seccomp filter forbids it: the figures that were stored before stay. */
	if (!hotpath__may(SYS_clock_gettime))
		return;
	for (struct thread *thread = hotpath__recorder->threads; thread; thread = thread->next) {
		struct hp_lane *lane = thread->lane;
		struct thread_times times = { 0, 0, 0 };
		if (lane->tid)
			times = times_of(lane->tid);
		if (lane->tid && !load(&lane->tenants.is_named, RELAXED))
			refresh_name(lane);
		store(&lane->tenants.user_ns, times.user_ns, RELAXED);
		store(&lane->tenants.system_ns, times.system_ns, RELAXED);
		store(&lane->tenants.queue_ns, times.queue_ns, RELAXED);
	}
	errno = saved_errno;
}

void hotpath__forget_times(void)
{
	for (struct thread *thread = hotpath__recorder->threads; thread; thread = thread->next) {
		store(&thread->lane->tenants.user_ns, 0, RELAXED);
		store(&thread->lane->tenants.system_ns, 0, RELAXED);
		store(&thread->lane->tenants.queue_ns, 0, RELAXED);
	}
}

void hotpath__forget_ended(void)
{
	struct hp_header *header = hotpath__header();
	struct hp_ended *rows = header->ended ? table(&header->ended, HP_ENDED_MAX) : NULL;
	struct hp_ended *names = header->ended_names ? table(&header->ended_names, HP_ENDED_NAMES)
						     : NULL;

	for (unsigned i = 0; rows && i < HP_ENDED_MAX; i++)
		store(&rows[i].tid, 0, RELAXED);
	for (unsigned i = 0; names && i < HP_ENDED_NAMES; i++)
		store(&names[i].tid, 0, RELAXED);
	for (struct thread *thread = hotpath__recorder->threads; thread; thread = thread->next) {
		store(&thread->lane->tenants.user_ns, 0, RELAXED);
		store(&thread->lane->tenants.system_ns, 0, RELAXED);
		store(&thread->lane->tenants.queue_ns, 0, RELAXED);
	}
}

void hotpath__zero_ended(struct thread *me)
{
	struct hp_tenants *tenants = &me->lane->tenants;

	store(&tenants->freed_bytes, 0, RELAXED);
	store(&tenants->rounded_bytes, 0, RELAXED);
	store(&tenants->quick_freed_bytes, 0, RELAXED);
	store(&tenants->quick_rounded_bytes, 0, RELAXED);
	store(&tenants->ended, 0, RELAXED);
	store(&tenants->ended_user_ns, 0, RELAXED);
	store(&tenants->ended_system_ns, 0, RELAXED);
	store(&tenants->ended_queue_ns, 0, RELAXED);
	store(&tenants->ended_bytes, 0, RELAXED);
	store(&tenants->ended_freed_bytes, 0, RELAXED);
	store(&tenants->ended_rounded_bytes, 0, RELAXED);
}
