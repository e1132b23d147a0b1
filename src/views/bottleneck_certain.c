/* SPDX-License-Identifier: MIT */
/*
 * Waits that are certainly those of a row of threads.
 *
 * Waits are known by function, and not by thread. But two of them are:
 *
 * - A wait that goes on has its thread.
 * - A thread that waits for a spin lock computes, or queues for a processor. If all threads did so for 10 s, 8 s of them to
 *   wait for spin locks, and the threads of other rows for 3 s, then at least 5 s of this row were such waits.
 */
#include "bottleneck_parts.h"

#include "arithmetic.h"
#include "kind.h"
#include "lower_bound.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Percent of a row's time from which on a wait can be its verdict. */
	MUCH = 40,
	/* Percent of what a row computes: if waits for spin locks are as much as that, it is not said to be limited by the CPU. */
	NOTABLE = 10,
};

/* ---- lists of waits ---- */

static int compare_texts(const char *left, const char *right)
{
	return strcmp(left ? left : "", right ? right : "");
}

/* Add a wait to that of the same lock or reason, whichever function it was in. */
static void join(struct hp_waited *list, const struct hp_waited_row *row)
{
	for (size_t i = 0; i < list->count; i++) {
		struct hp_waited_row *same = &list->rows[i];
		if (same->waiting != row->waiting || compare_texts(same->target, row->target) ||
		    compare_texts(same->detail, row->detail))
			continue;
		same->count += row->count;
		same->ns += row->ns;
		return;
	}
	list->rows[list->count++] = *row;
}

/* By class, target and time, the longest first: the order that a list of one function has. */
static int by_target(const void *left, const void *right)
{
	const struct hp_waited_row *a = left, *b = right;
	int order = (a->waiting > b->waiting) - (a->waiting < b->waiting);

	if (!order)
		order = compare_texts(a->target, b->target);
	return order ? order : (a->ns < b->ns) - (a->ns > b->ns);
}

static void sort(struct hp_waited *list)
{
	if (list->count)
		qsort(list->rows, list->count, sizeof(*list->rows), by_target);
}

static uint64_t sum_of(const struct hp_waited *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += list->rows[i].ns;
	return sum;
}

static bool is_much(uint64_t part, const struct hp_bottleneck *row)
{
	return part && (double)part * 100 >= (double)row->spent.wall_ns * MUCH;
}

/* ---- waits that go on ---- */

static bool is_before(const void *thread, const void *blocked)
{
	const struct hp_thread *a = thread;
	const struct hp_blocked_thread *b = blocked;

	return a->pid != b->pid ? a->pid < b->pid : a->tid < b->tid;
}

/* The last of those that had its id: the others have ended. */
static const struct hp_thread *thread_of(const struct hp_threads *threads,
					 const struct hp_blocked_thread *blocked)
{
	const struct hp_thread *found = NULL;
	size_t i = hp_lower_bound(blocked, threads->items, threads->count, sizeof(*threads->items),
				  is_before);

	for (; i < threads->count && threads->items[i].tid == blocked->tid &&
	       threads->items[i].pid == blocked->pid;
	     i++)
		if (!found || threads->items[i].state != HP_THREAD_ENDED)
			found = &threads->items[i];
	return found;
}

static struct hp_bottleneck *row_of(const struct hp_bottlenecks *all,
				    const struct hp_thread *thread)
{
	for (size_t i = 0; thread && i < all->count; i++)
		if (hp_bottleneck_has_thread(&all->items[i], thread))
			return &all->items[i];
	return NULL;
}

/* The rows of blocked threads; NULL for those that have none. */
static void find_rows(const struct hp_bottlenecks *all, struct hp_bottleneck **rows)
{
	const struct hp_model *model = all->model;

	for (size_t i = 0; i < model->blocked.count; i++)
		rows[i] = row_of(all, thread_of(&model->threads, &model->blocked.items[i]));
}

/* Collect those of the threads of a row. */
static void collect_now(struct hp_waited *list, const struct hp_bottleneck *row,
			struct hp_bottleneck *const *rows)
{
	const struct hp_blocked_list *blocked = &row->model->blocked;

	for (size_t i = 0; i < blocked->count; i++) {
		const struct hp_waited_row wait = hp_waited_now(row->model, &blocked->items[i]);
		if (rows[i] == row && wait.ns)
			join(list, &wait);
	}
	sort(list);
}

static bool give_now(struct hp_bottlenecks *all, struct hp_waited_row *room)
{
	struct hp_bottleneck **rows = calloc(all->model->blocked.count + 1, sizeof(*rows));

	if (!rows)
		return false;
	find_rows(all, rows);
	for (size_t i = 0; hp_waited_has_now(all->model) && i < all->count; i++) {
		struct hp_bottleneck *row = &all->items[i];
		struct hp_waited list = { room, 0 };
		collect_now(&list, row, rows);
		room += list.count;
		if (!is_much(sum_of(&list), row))
			continue;
		row->waited = list;
		hp_waited_sum(&list, row->spent.waits);
	}
	free(rows);
	return true;
}

/* ---- spin locks ---- */

/* Whether a name is that of spin locks only. */
static bool is_spin_lock(const struct hp_model *model, const char *name)
{
	bool is_spin = false;

	for (size_t i = 0; name && i < model->entries.count; i++) {
		const struct hp_entry *entry = &model->entries.items[i];
		if (strcmp(entry->kind->key, "locks") != 0 || strcmp(entry->name, name) != 0)
			continue;
		if (entry->site_kind != HP_SITE_SPIN_LOCK)
			return false;
		is_spin = true;
	}
	return is_spin;
}

/* Most programs have none. */
static bool has_spin_locks(const struct hp_model *model)
{
	for (size_t i = 0; i < model->entries.count; i++)
		if (model->entries.items[i].site_kind == HP_SITE_SPIN_LOCK)
			return true;
	return false;
}

static void collect_spins(struct hp_waited *list, const struct hp_bottlenecks *all)
{
	size_t count = has_spin_locks(all->model) ? all->waited.count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct hp_waited_row *row = &all->waited.rows[i];
		if (row->waiting == HP_WAITING_LOCK && is_spin_lock(all->model, row->target))
			join(list, row);
	}
	sort(list);
}

static uint64_t busy_of(const struct hp_bottleneck *row)
{
	return hp_min(row->spent.cpu_ns + row->spent.queue_ns, row->spent.wall_ns);
}

/* How long all threads computed or queued; UINT64_MAX if that is not known. */
static uint64_t busy_of_all(const struct hp_bottlenecks *all)
{
	const struct hp_thread *rest = &all->model->threads.rest;
	uint64_t busy = hp_thread_cpu_ns(rest) + rest->queue_ns;

	for (size_t i = 0; i < all->count; i++) {
		if (all->items[i].spent.unknown_ns)
			return UINT64_MAX;
		busy += busy_of(&all->items[i]);
	}
	return busy;
}

static void give_spins(struct hp_bottlenecks *all, const struct hp_waited *spins)
{
	uint64_t spun = sum_of(spins), busy = busy_of_all(all);

	for (size_t i = 0; i < all->count && spun; i++) {
		struct hp_bottleneck *row = &all->items[i];
		uint64_t own = busy_of(row);
		uint64_t least = hp_min(hp_minus(spun, busy - own), own);
		row->may_spin = spun >= own / 100 * NOTABLE;
		if (!is_much(least, row))
			continue;
		row->waited = *spins;
		memset(row->spent.waits, 0, sizeof(row->spent.waits));
		row->spent.waits[HP_WAITING_LOCK] = least;
	}
}

/* ---- all of it ---- */

bool hp_bottlenecks_give_certain(struct hp_bottlenecks *all)
{
	size_t count = all->waited.count + all->model->blocked.count + 1;

	all->certain = reallocarray(NULL, count, sizeof(*all->certain));
	if (!all->certain)
		return false;
	struct hp_waited spins = { all->certain, 0 };
	collect_spins(&spins, all);
	if (!give_now(all, all->certain + spins.count))
		return false;
	give_spins(all, &spins);
	return true;
}
