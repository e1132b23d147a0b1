/* SPDX-License-Identifier: MIT */
/*
 * Finds threads that wait for each other in a circle.
 *
 * The threads are the nodes of a graph: from one that waits for a lock, there is an edge to each thread that holds it. That is
 * one, but for locks that several readers hold. The search goes in depth, and keeps its path in an array: an edge to a thread
 * on the path closes a circle.
 */
#include "deadlock.h"

#include "lower_bound.h"

#include <stdlib.h>

/* ---- who holds what ---- */

static int by_lock(const void *left, const void *right)
{
	const struct hp_hold *a = left, *b = right;
	int order = (a->lock > b->lock) - (a->lock < b->lock);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

void hp_holds_sort(struct hp_hold *holds, size_t count)
{
	if (count)
		qsort(holds, count, sizeof(*holds), by_lock);
}

static bool has_lower_lock(const void *hold, const void *lock)
{
	return ((const struct hp_hold *)hold)->lock < *(const uint32_t *)lock;
}

const struct hp_hold *hp_holds_of(const struct hp_hold *holds, size_t count, uint32_t lock,
				  size_t *found)
{
	size_t first = hp_lower_bound(&lock, holds, count, sizeof(*holds), has_lower_lock);
	size_t end = first;

	while (lock && end < count && holds[end].lock == lock)
		end++;
	*found = end - first;
	return *found ? &holds[first] : NULL;
}

/* ---- circles ---- */

/* A thread in the search. */
struct node {
	/* The holders that were not looked at yet. */
	const struct hp_hold *holders;
	size_t left;
	/* Its place in the path plus one, 0 when it is not there; and whether it was there. */
	size_t place;
	bool was_seen;
};

struct search {
	struct hp_blocked_list *list;
	struct node *nodes;
	/* Numbers of threads in the list. */
	size_t *path;
	size_t length;
};

/* The path from this place on is a circle. A thread in two circles counts for the first. */
static void mark(const struct search *search, size_t place)
{
	struct hp_blocked_thread *items = search->list->items;

	for (size_t i = place; i < search->length; i++)
		if (items[search->path[i]].is_deadlocked)
			return;
	for (size_t i = place; i < search->length; i++) {
		size_t next = i + 1 < search->length ? i + 1 : place;
		items[search->path[i]].is_deadlocked = true;
		items[search->path[i]].holder = items[search->path[next]].tid;
	}
}

static void enter(struct search *search, size_t thread)
{
	search->path[search->length++] = thread;
	search->nodes[thread].place = search->length;
	search->nodes[thread].was_seen = true;
}

/* Follow the next edge from the end of the path, or go one step back. */
static void step(struct search *search)
{
	struct hp_blocked_list *list = search->list;
	struct node *last = &search->nodes[search->path[search->length - 1]];

	if (!last->left) {
		last->place = 0;
		search->length--;
		return;
	}
	last->left--;
	const struct hp_blocked_thread *holder = hp_blocked_find(list, list->items[0].pid,
								 (last->holders++)->tid);
	if (!holder)
		return;
	size_t thread = (size_t)(holder - list->items);
	if (search->nodes[thread].place)
		mark(search, search->nodes[thread].place - 1);
	else if (!search->nodes[thread].was_seen)
		enter(search, thread);
}

bool hp_deadlocks_find(struct hp_blocked_list *list, const uint32_t *locks,
		       const struct hp_hold *holds, size_t hold_count)
{
	struct search search = { list, calloc(list->count + 1, sizeof(*search.nodes)),
				 calloc(list->count + 1, sizeof(*search.path)), 0 };
	bool done = search.nodes && search.path;

	for (size_t i = 0; done && i < list->count; i++)
		search.nodes[i].holders = hp_holds_of(holds, hold_count, locks[i],
						      &search.nodes[i].left);
	for (size_t i = 0; done && i < list->count; i++) {
		if (!search.nodes[i].was_seen)
			enter(&search, i);
		while (search.length)
			step(&search);
	}
	free(search.nodes);
	free(search.path);
	return done;
}

/* Whether the thread that it waits for waits as well. */
static bool is_stuck(const struct hp_blocked_list *list, const struct hp_blocked_thread *thread)
{
	const struct hp_blocked_thread *holder = hp_blocked_find(list, thread->pid, thread->holder);

	return holder && holder->is_deadlocked;
}

void hp_deadlocks_check(struct hp_blocked_list *list)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < list->count; i++) {
			struct hp_blocked_thread *thread = &list->items[i];
			if (thread->is_deadlocked && !is_stuck(list, thread)) {
				thread->is_deadlocked = false;
				changed = true;
			}
		}
	}
}
