/* SPDX-License-Identifier: MIT */
/* The runs that segments belong to: which are of the same one, and which process it began with. */
#include "process/found_run.h"

#include "arithmetic.h"

#include <string.h>

/* Parents that are asked for their parents, at most. */
enum { GENERATIONS = 64 };

bool hp_found_same_run(const struct hp_found *one, const struct hp_found *other)
{
	return one->run[0] && strcmp(one->run, other->run) == 0;
}

size_t hp_found_newest(const struct hp_found_list *list, size_t at)
{
	for (size_t i = 0; list->items[at].run[0] && i < at; i++)
		if (hp_found_same_run(&list->items[i], &list->items[at]))
			return i;
	return at;
}

/* Starts of processes are known to a tick of the kernel: of those with the same one, the first to have a segment is older. */
static bool is_older(const struct hp_found *one, const struct hp_found *other)
{
	if (one->process_unix_ns != other->process_unix_ns)
		return one->process_unix_ns < other->process_unix_ns;
	return one->start_unix_ns < other->start_unix_ns;
}

static const struct hp_found *oldest_of(const struct hp_found_list *list,
					const struct hp_found *found)
{
	const struct hp_found *oldest = found;

	for (size_t i = 0; i < list->count; i++)
		if (hp_found_same_run(&list->items[i], found) && is_older(&list->items[i], oldest))
			oldest = &list->items[i];
	return oldest;
}

static const struct hp_found *parent_of(const struct hp_found_list *list,
					const struct hp_found *found)
{
	for (size_t i = 0; i < list->count; i++)
		if (hp_found_same_run(&list->items[i], found) &&
		    list->items[i].pid == found->parent_pid)
			return &list->items[i];
	return NULL;
}

/* A child that is started at once may seem older than its parent. Segments may lie about parents. */
const struct hp_found *hp_found_root(const struct hp_found_list *list, const struct hp_found *found)
{
	const struct hp_found *root = oldest_of(list, found), *parent = root;

	for (unsigned i = 0; parent && i < GENERATIONS; i++) {
		root = parent;
		parent = parent_of(list, root);
	}
	return root;
}

bool hp_found_is_root(const struct hp_found_list *list, const struct hp_found *found)
{
	return hp_found_root(list, found)->pid == found->pid;
}

bool hp_found_has_others(const struct hp_found_list *list, const struct hp_found *found)
{
	for (size_t i = 0; i < list->count; i++)
		if (&list->items[i] != found && hp_found_same_run(&list->items[i], found))
			return true;
	return false;
}

/* The start of a process is not in old segments, nor where /proc could not be read. */
static bool has_start(const struct hp_found *found)
{
	return found->process_unix_ns != found->start_unix_ns;
}

/* The kernel tells starts in units of 10 ms, which become a time of day by two clocks that are read one after the other. */
bool hp_found_is_start(uint64_t one_unix_ns, uint64_t other_unix_ns)
{
	return hp_max(one_unix_ns, other_unix_ns) - hp_min(one_unix_ns, other_unix_ns) < 5000000;
}

static bool started_together(const struct hp_found *one, const struct hp_found *other)
{
	return !has_start(one) || !has_start(other) ||
	       hp_found_is_start(one->process_unix_ns, other->process_unix_ns);
}

bool hp_found_same_process(const struct hp_found *one, const struct hp_found *other)
{
	return one->pid == other->pid && hp_found_same_run(one, other) &&
	       started_together(one, other);
}

bool hp_found_is_replaced(const struct hp_found_list *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (hp_found_same_process(&list->items[i], &list->items[at]))
			return true;
	return false;
}

bool hp_found_has_replaced(const struct hp_found_list *list, size_t at)
{
	for (size_t i = at + 1; i < list->count; i++)
		if (hp_found_same_process(&list->items[i], &list->items[at]))
			return true;
	return false;
}

size_t hp_found_processes(const struct hp_found_list *list, const struct hp_found *found)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += hp_found_same_run(&list->items[i], found) &&
			 !hp_found_is_replaced(list, i);
	return count;
}

bool hp_found_run_is_live(const struct hp_found_list *list, const struct hp_found *found)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].live && hp_found_same_run(&list->items[i], found))
			return true;
	return false;
}

const struct hp_found *hp_found_run(const struct hp_found_list *list, const char *run)
{
	for (size_t i = 0; *run && i < list->count; i++)
		if (strcmp(list->items[i].run, run) == 0)
			return &list->items[i];
	return NULL;
}
