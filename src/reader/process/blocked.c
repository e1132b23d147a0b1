/* SPDX-License-Identifier: MIT */
/*
 * What threads wait for now, or did when the program was killed: read from their lanes.
 *
 * A lane says for which lock its thread waits, and which locks it holds. A thread that waits changes neither: so if all threads
 * of a circle wait at one moment, none of them will ever go on. The lanes of a program that was killed are from one moment.
 * Those of a running program are read one after the other, within some milliseconds: a circle counts if all of its threads
 * waited before that began.
 */
#include "blocked.h"

#include "arithmetic.h"
#include "array.h"
#include "atomic.h"
#include "deadlock.h"
#include "flow/read_entries.h"
#include "lower_bound.h"

#include <stdlib.h>
#include <string.h>

/* A segment is copied in less than this. */
#define COPIED_NS UINT64_C(100000000)

/* A thread that waits, as its lane has it. */
struct waiter {
	uint32_t tid;
	struct hp_blocked mark;
};

struct work {
	const struct hp_build *build;
	struct hp_blocked_list *list;
	struct waiter *waiters;
	size_t count;
	size_t room;
	/* Who holds what. */
	struct hp_hold *holds;
	size_t hold_count;
	size_t hold_room;
};

/* ---- lanes ---- */

/* Copy what a thread waits for. Returns false if it does not, or has begun another wait meanwhile. */
static bool read_mark(const struct hp_blocked *from, struct hp_blocked *mark)
{
	/* Pairs with the RELEASE that the thread stores last. */
	uint64_t since = load(&from->since, ACQUIRE);

	*mark = (struct hp_blocked){ .since = since,
				     .reason = load(&from->reason, RELAXED),
				     .function = load(&from->function, RELAXED),
				     .target = load(&from->target, RELAXED),
				     .holder = load(&from->holder, RELAXED),
				     .holder_function = load(&from->holder_function, RELAXED),
				     .lock = load(&from->lock, RELAXED),
				     .is_timed = load(&from->is_timed, RELAXED) };
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return since && load(&from->since, RELAXED) == since && mark->reason &&
	       mark->reason < HP_REASONS;
}

static bool add_waiter(struct work *work, const struct hp_lane *lane, uint32_t tid)
{
	struct waiter waiter = { .tid = tid };

	if (!read_mark(&lane->blocked, &waiter.mark))
		return true;
	if (!hp_array_reserve(&work->waiters, work->count, &work->room, sizeof(waiter)))
		return false;
	work->waiters[work->count++] = waiter;
	return true;
}

static bool add_holds(struct work *work, const struct hp_lane *lane, uint32_t tid)
{
	for (unsigned i = 0; i < HP_HELD_MAX; i++) {
		struct hp_hold hold = { load(&lane->held[i], RELAXED), tid };
		if (!hold.lock)
			continue;
		if (!hp_array_reserve(&work->holds, work->hold_count, &work->hold_room,
				      sizeof(hold)))
			return false;
		work->holds[work->hold_count++] = hold;
	}
	return true;
}

static int by_tid(const void *left, const void *right)
{
	const struct waiter *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static bool read_lanes(struct work *work)
{
	struct hp_lanes lanes = hp_snapshot_lanes(work->build->snapshot);

	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));) {
		uint32_t tid = load(&lane->tid, RELAXED);
		if (tid && (!add_waiter(work, lane, tid) || !add_holds(work, lane, tid)))
			return false;
	}
	if (work->count)
		qsort(work->waiters, work->count, sizeof(*work->waiters), by_tid);
	hp_holds_sort(work->holds, work->hold_count);
	return true;
}

/* ---- rows ---- */

static bool set_label(const struct work *work, char **text, uint32_t site)
{
	bool failed = false;

	if (site && site != HP_HELD_BY_READERS)
		*text = hp_site_label(work->build, site, &failed);
	return !failed;
}

static bool may_spin(const struct work *work, uint32_t target)
{
	const struct hp_site *site = hp_check_site(work->build->snapshot->bytes, target);
	uint32_t kind = site ? load(&site->kind, RELAXED) : 0;

	return kind == HP_SITE_SPIN_LOCK || kind == HP_SITE_OWN_LOCK;
}

static bool add_row(struct work *work, const struct waiter *waiter)
{
	const struct hp_snapshot *snapshot = work->build->snapshot;
	const struct hp_blocked *mark = &waiter->mark;
	bool running = work->build->model->exit.running;
	struct hp_blocked_thread row = { .tid = waiter->tid,
					 .pid = work->build->model->pid,
					 .reason = (enum hp_reason)mark->reason,
					 .since = mark->since,
					 .has_waited = running,
					 .is_timed = mark->is_timed,
					 .may_spin = may_spin(work, mark->target) };

	if (running)
		row.waited_ns = hp_snapshot_ns(snapshot, hp_minus(snapshot->now, mark->since));
	if (set_label(work, &row.target, mark->target) &&
	    set_label(work, &row.function, mark->function) && hp_blocked_append(work->list, row))
		return true;
	hp_blocked_thread_clear(&row);
	return false;
}

/* Whether a wait may be part of a deadlock. */
static bool is_endless(const struct hp_blocked_thread *row)
{
	return row->reason == HP_REASON_LOCK && !row->is_timed &&
	       (!row->has_waited || row->waited_ns >= COPIED_NS);
}

static bool find_deadlocks(const struct work *work)
{
	uint32_t *locks = calloc(work->count + 1, sizeof(*locks));

	for (size_t i = 0; locks && i < work->count; i++)
		locks[i] = is_endless(&work->list->items[i]) ? work->waiters[i].mark.lock : 0;
	bool done = locks && hp_deadlocks_find(work->list, locks, work->holds, work->hold_count);
	free(locks);
	return done;
}

/* What the thread saw when it began to wait may not be so any more; the locks that threads hold are. Where the holder has
   acquired the lock is only known of the former; else it is said where it waits itself. */
static bool set_holder(const struct work *work, const struct hp_blocked *mark,
		       struct hp_blocked_thread *row)
{
	size_t count;
	const struct hp_hold *holds = hp_holds_of(work->holds, work->hold_count, mark->lock,
						  &count);

	if (row->reason != HP_REASON_LOCK)
		return true;
	if (!row->holder)
		row->holder = holds ? holds->tid : mark->holder;
	row->holders = holds ? (uint32_t)count : row->holder != 0;
	if (row->holder && row->holder == mark->holder &&
	    !set_label(work, &row->holder_function, mark->holder_function))
		return false;
	const struct hp_blocked_thread *holder = hp_blocked_find(work->list, row->pid, row->holder);
	if (row->holder_function || !holder || !holder->function)
		return true;
	row->holder_function = strdup(holder->function);
	return row->holder_function;
}

/* ---- names ---- */

static bool has_lower_tid(const void *thread, const void *tid)
{
	return ((const struct hp_thread *)thread)->tid < *(const uint32_t *)tid;
}

/* The thread that has this tid now, or had it last; NULL if it is not known. */
static const struct hp_thread *find_thread(const struct hp_threads *threads, uint32_t tid)
{
	const struct hp_thread *found = NULL;
	size_t i = hp_lower_bound(&tid, threads->items, threads->count, sizeof(*threads->items),
				  has_lower_tid);

	for (; i < threads->count && threads->items[i].tid == tid; i++)
		if (!found || threads->items[i].state != HP_THREAD_ENDED)
			found = &threads->items[i];
	return found;
}

static bool set_name(char **name, const struct hp_thread *thread)
{
	free(*name);
	*name = thread && thread->name ? strdup(thread->name) : NULL;
	return *name || !thread || !thread->name;
}

static bool name_threads(struct hp_model *model)
{
	for (size_t i = 0; i < model->blocked.count; i++) {
		struct hp_blocked_thread *row = &model->blocked.items[i];
		if (!set_name(&row->name, find_thread(&model->threads, row->tid)) ||
		    !set_name(&row->holder_name, find_thread(&model->threads, row->holder)))
			return false;
	}
	return true;
}

/* ---- all ---- */

static bool read_rows(struct work *work)
{
	bool done = read_lanes(work);

	for (size_t i = 0; done && i < work->count; i++)
		done = add_row(work, &work->waiters[i]);
	done = done && find_deadlocks(work);
	for (size_t i = 0; done && i < work->count; i++)
		done = set_holder(work, &work->waiters[i].mark, &work->list->items[i]);
	return done && name_threads(work->build->model);
}

/* A program that has ended by exit left the threads alone that were still waiting. */
bool hp_blocked_read(struct hp_build *build)
{
	const struct hp_exit *exit = &build->model->exit;
	struct work work = { .build = build, .list = &build->model->blocked };
	bool done = exit->clean || exit->status >= 0 || read_rows(&work);

	free(work.waiters);
	free(work.holds);
	return done;
}

/* A thread that computes has left the wait by longjmp; or it has ended. */
static bool is_over(const struct hp_blocked_thread *row, const struct hp_thread *thread)
{
	return thread && (thread->state == HP_THREAD_ENDED ||
			  (thread->state == HP_THREAD_RUNNING && !row->may_spin));
}

bool hp_blocked_see(struct hp_model *model)
{
	struct hp_blocked_list *list = &model->blocked;

	for (size_t i = list->count; i; i--) {
		const struct hp_blocked_thread *row = &list->items[i - 1];
		if (is_over(row, find_thread(&model->threads, row->tid)))
			hp_blocked_remove(list, i - 1);
	}
	hp_deadlocks_check(list);
	return name_threads(model);
}
