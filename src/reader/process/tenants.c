/* SPDX-License-Identifier: MIT */
/*
 * Converts the thread data of lanes to the threads of a model.
 *
 * A lane has the sums of the threads that ended in it; the rest belongs to its present thread. Ended threads that have a
 * row of their own are subtracted from the sums of their name, and all of that from the sums of all lanes: what is left
 * is that of the others.
 */
#include "tenants.h"

#include "arithmetic.h"
#include "atomic.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct hp_snapshot *snapshot;
	struct hp_model *model;
};

/* Bytes allocated and freed in a lane: as requested, or as rounded by the allocator, depending on the mode. */
struct bytes {
	uint64_t allocated;
	uint64_t freed;
};

static struct bytes in_mode(const struct work *work, uint64_t bytes, uint64_t rounded,
			    uint64_t freed)
{
	enum hp_alloc_mode mode = work->model->memory.mode;

	if (mode == HP_ALLOC_NONE)
		return (struct bytes){ 0, 0 };
	return (struct bytes){ mode == HP_ALLOC_FREED ? rounded : bytes,
			       mode >= HP_ALLOC_FREED ? freed : 0 };
}

static struct bytes all_of_lane(const struct work *work, const struct hp_lane *lane)
{
	const struct hp_tenants *tenants = &lane->tenants;
	uint64_t rounded = load(&tenants->rounded_bytes, RELAXED) +
			   load(&tenants->quick_rounded_bytes, RELAXED);
	uint64_t freed = load(&tenants->freed_bytes, RELAXED) +
			 load(&tenants->quick_freed_bytes, RELAXED);
	return in_mode(work, load(&lane->bytes, RELAXED), rounded, freed);
}

/* The last byte of the array is never written, so it is the NUL. */
static char *copy_name(const char *from)
{
	char name[HP_NAME_MAX] = "";

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = load(&from[i], RELAXED);
	return strdup(name);
}

static uint64_t start_of(const struct work *work)
{
	return load(&work->snapshot->header->start.ticks, RELAXED);
}

/* The first thread is as old as the process, though it may sleep for long before it records anything: for how long. */
static uint64_t early_ns(const struct work *work, const struct hp_thread *thread)
{
	return thread->tid == thread->pid
		       ? hp_snapshot_ns(work->snapshot, hp_minus(thread->since, start_of(work)))
		       : 0;
}

/* The CPU time of the first thread before that counts, as far as there was time for it. A thread that is older than the session is
   recorded since that began. */
static void set_recorded(const struct work *work, struct hp_thread *thread, uint64_t since,
			 uint64_t until, uint64_t before_ns)
{
	uint64_t start = start_of(work);
	uint64_t begin = thread->tid == thread->pid ? start : hp_max(since, start);

	thread->since = since;
	thread->recorded_ns = hp_snapshot_ns(work->snapshot, hp_minus(until, begin));
	thread->before_ns = hp_minus(before_ns, early_ns(work, thread));
	thread->first_ns = before_ns;
}

/* Convert ticks to CLOCK_MONOTONIC. */
static uint64_t moment(const struct hp_snapshot *snapshot, uint64_t ticks)
{
	const struct hp_moment *start = &snapshot->header->start;

	return load(&start->monotonic_ns, RELAXED) +
	       hp_snapshot_ns(snapshot, hp_minus(ticks, load(&start->ticks, RELAXED)));
}

/* A CPU time of 0 is a figure, too, if the program was sampled from outside. */
static void set_times(const struct work *work, struct hp_thread *thread, uint64_t user_ns,
		      uint64_t system_ns, uint64_t queue_ns)
{
	if (user_ns || system_ns || work->model->is_attached)
		hp_thread_set_times(thread, user_ns, system_ns, queue_ns);
}

static bool append(struct work *work, struct hp_thread thread, const char *name)
{
	thread.name = copy_name(name);
	if (thread.name && hp_threads_append(&work->model->threads, thread))
		return true;
	free(thread.name);
	return false;
}

/* The sums of the threads that have ended in a lane; without a present thread, that is everything in it. */
static struct hp_thread ended_in(const struct work *work, const struct hp_tenants *tenants,
				 uint32_t tid, struct bytes all)
{
	struct hp_thread ended = { .allocated_bytes = tid ? 0 : all.allocated,
				   .freed_bytes = tid ? 0 : all.freed };

	ended.threads = load(&tenants->ended, RELAXED);
	ended.user_ns = load(&tenants->ended_user_ns, RELAXED);
	ended.system_ns = load(&tenants->ended_system_ns, RELAXED);
	ended.queue_ns = load(&tenants->ended_queue_ns, RELAXED);
	if (tid) {
		struct bytes bytes = in_mode(work, load(&tenants->ended_bytes, RELAXED),
					     load(&tenants->ended_rounded_bytes, RELAXED),
					     load(&tenants->ended_freed_bytes, RELAXED));
		ended.allocated_bytes = bytes.allocated;
		ended.freed_bytes = bytes.freed;
	}
	return ended;
}

static bool add_lane(struct work *work, const struct hp_lane *lane)
{
	struct hp_memory *memory = &work->model->memory;
	const struct hp_tenants *tenants = &lane->tenants;
	uint32_t tid = load(&lane->tid, RELAXED);
	struct bytes all = all_of_lane(work, lane);
	struct hp_thread ended = ended_in(work, tenants, tid, all);
	struct hp_thread thread = hp_thread_new(work->model->pid, tid);

	memory->allocated_bytes += all.allocated;
	memory->freed_bytes += all.freed;
	hp_thread_add(&work->model->threads.rest, &ended);
	if (!tid)
		return true;
	thread.state = work->model->exit.running ? HP_THREAD_UNKNOWN : HP_THREAD_ENDED;
	thread.allocated_bytes = hp_minus(all.allocated, ended.allocated_bytes);
	thread.freed_bytes = hp_minus(all.freed, ended.freed_bytes);
	set_recorded(work, &thread, load(&lane->since, RELAXED), work->snapshot->now,
		     load(&tenants->before_ns, RELAXED));
	thread.is_named = load(&tenants->is_named, RELAXED);
	set_times(work, &thread, load(&tenants->user_ns, RELAXED),
		  load(&tenants->system_ns, RELAXED), load(&tenants->queue_ns, RELAXED));
	return append(work, thread, lane->name);
}

/* A thread whose signal handlers interrupted the recorder has two lanes; it took the first one earlier. */
static void join_lanes(struct hp_threads *threads)
{
	size_t kept = 0;

	hp_threads_sort(threads);
	for (size_t i = 0; i < threads->count; i++) {
		struct hp_thread *thread = &threads->items[i];
		struct hp_thread *last = kept ? &threads->items[kept - 1] : NULL;
		if (!last || last->tid != thread->tid) {
			/* Do not copy onto itself: memory checkers report that as overlapping memcpy. */
			if (kept < i)
				threads->items[kept] = *thread;
			kept++;
			continue;
		}
		struct hp_thread first = thread->since < last->since ? *thread : *last;
		struct hp_thread second = thread->since < last->since ? *last : *thread;
		first.allocated_bytes += second.allocated_bytes;
		first.freed_bytes += second.freed_bytes;
		free(second.name);
		*last = first;
	}
	threads->count = kept;
}

static bool is_in_lane(const struct hp_threads *threads, size_t lanes, uint32_t tid, uint64_t since)
{
	for (size_t i = 0; i < lanes; i++)
		if (threads->items[i].tid == tid && threads->items[i].since == since)
			return true;
	return false;
}

static void take_off(struct hp_thread *rest, const struct hp_thread *thread)
{
	rest->threads = hp_minus(rest->threads, thread->threads);
	rest->recorded_ns = hp_minus(rest->recorded_ns, thread->recorded_ns);
	rest->before_ns = hp_minus(rest->before_ns, thread->before_ns);
	rest->user_ns = hp_minus(rest->user_ns, thread->user_ns);
	rest->system_ns = hp_minus(rest->system_ns, thread->system_ns);
	rest->queue_ns = hp_minus(rest->queue_ns, thread->queue_ns);
	rest->allocated_bytes = hp_minus(rest->allocated_bytes, thread->allocated_bytes);
	rest->freed_bytes = hp_minus(rest->freed_bytes, thread->freed_bytes);
}

/* A snapshot of a running program may have a thread in its lane and already in the table of ended threads. */
static bool add_row(struct work *work, size_t lanes, const struct hp_ended *row)
{
	struct hp_threads *threads = &work->model->threads;
	/* Pairs with the RELEASE that completed the row. */
	struct hp_thread thread = hp_thread_new(work->model->pid, load(&row->tid, ACQUIRE));
	struct bytes bytes = in_mode(work, load(&row->bytes, RELAXED),
				     load(&row->rounded_bytes, RELAXED),
				     load(&row->freed_bytes, RELAXED));

	set_recorded(work, &thread, load(&row->since, RELAXED), load(&row->until, RELAXED),
		     load(&row->before_ns, RELAXED));
	if (!thread.tid || is_in_lane(threads, lanes, thread.tid, thread.since))
		return true;
	thread.state = HP_THREAD_ENDED;
	thread.ended_ns = moment(work->snapshot, load(&row->until, RELAXED));
	thread.allocated_bytes = bytes.allocated;
	thread.freed_bytes = bytes.freed;
	set_times(work, &thread, load(&row->user_ns, RELAXED), load(&row->system_ns, RELAXED),
		  load(&row->queue_ns, RELAXED));
	take_off(&threads->rest, &thread);
	return append(work, thread, row->name);
}

static bool add_rows(struct work *work)
{
	const struct hp_ended *rows = hp_check_ended(work->snapshot->bytes);
	size_t lanes = work->model->threads.count;

	for (unsigned i = 0; rows && i < HP_ENDED_MAX; i++)
		if (!add_row(work, lanes, &rows[i]))
			return false;
	return true;
}

/* The sums of all ended threads of a name. */
static struct hp_thread sums_of(const struct work *work, const struct hp_ended *row)
{
	struct hp_thread sums = hp_thread_new(work->model->pid, 0);
	struct bytes bytes = in_mode(work, load(&row->bytes, RELAXED),
				     load(&row->rounded_bytes, RELAXED),
				     load(&row->freed_bytes, RELAXED));

	sums.state = HP_THREAD_ENDED;
	sums.threads = load(&row->threads, RELAXED);
	sums.since = load(&row->since, RELAXED);
	sums.recorded_ns = hp_snapshot_ns(work->snapshot, load(&row->lived, RELAXED));
	sums.before_ns = load(&row->before_ns, RELAXED);
	sums.user_ns = load(&row->user_ns, RELAXED);
	sums.system_ns = load(&row->system_ns, RELAXED);
	sums.queue_ns = load(&row->queue_ns, RELAXED);
	sums.allocated_bytes = bytes.allocated;
	sums.freed_bytes = bytes.freed;
	return sums;
}

static bool add_name(struct work *work, const struct hp_ended *row, size_t first, size_t end)
{
	struct hp_threads *threads = &work->model->threads;
	struct hp_thread others = sums_of(work, row);
	char *name = copy_name(row->name);

	for (size_t i = first; name && i < end; i++)
		if (strcmp(threads->items[i].name, name) == 0) {
			/* The sums are of what was recorded. */
			others.recorded_ns += early_ns(work, &threads->items[i]);
			take_off(&others, &threads->items[i]);
		}
	free(name);
	if (!name || !others.threads)
		return name;
	take_off(&threads->rest, &others);
	set_times(work, &others, others.user_ns, others.system_ns, others.queue_ns);
	return append(work, others, row->name);
}

/* Rows of single threads are from the first one on. */
static bool add_names(struct work *work, size_t first)
{
	const struct hp_ended *rows = hp_check_ended_names(work->snapshot->bytes);
	size_t end = work->model->threads.count;

	for (unsigned i = 0; rows && i < HP_ENDED_NAMES; i++)
		/* Pairs with the RELEASE that began the sums. */
		if (load(&rows[i].tid, ACQUIRE) && !add_name(work, &rows[i], first, end))
			return false;
	return true;
}

static void read_outside(const struct hp_header *header, struct hp_outside *outside)
{
	outside->pid = header->pid;
	outside->mapped_bytes = load(&header->mapped_bytes, RELAXED);
	outside->mapped_peak_bytes = load(&header->mapped_peak_bytes, RELAXED);
	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++)
		outside->resident[i] = load(&header->resident_bytes[i], RELAXED);
}

bool hp_tenants_read(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	struct work work = { snapshot, model };
	struct hp_lanes lanes = hp_snapshot_lanes(snapshot);
	struct hp_threads *threads = &model->threads;

	model->memory.rss_bytes = load(&snapshot->header->rss_bytes, RELAXED);
	model->memory.own_rss_bytes = load(&snapshot->header->own_rss_bytes, RELAXED);
	model->memory.peak_rss_bytes = load(&snapshot->header->peak_rss_bytes, RELAXED);
	read_outside(snapshot->header, &model->memory.outside);
	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));)
		if (!add_lane(&work, lane))
			return false;
	join_lanes(threads);
	size_t lane_threads = threads->count;
	if (!add_rows(&work) || !add_names(&work, lane_threads))
		return false;
	threads->rest.has_times = hp_thread_cpu_ns(&threads->rest) > 0;
	hp_threads_sort(threads);
	return true;
}
