/* SPDX-License-Identifier: MIT */
/* What threads wait for now. */
#include "blocked_list.h"

#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hp_blocked_append(struct hp_blocked_list *list, struct hp_blocked_thread thread)
{
	if (!hp_array_reserve(&list->items, list->count, &list->room, sizeof(thread)))
		return false;
	list->items[list->count++] = thread;
	return true;
}

static int by_number(const void *left, const void *right)
{
	const struct hp_blocked_thread *a = left, *b = right;
	int order = (a->pid > b->pid) - (a->pid < b->pid);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

struct hp_blocked_thread *hp_blocked_find(const struct hp_blocked_list *list, uint32_t pid,
					  uint32_t tid)
{
	struct hp_blocked_thread wanted = { .pid = pid, .tid = tid };

	return list->count ? bsearch(&wanted, list->items, list->count, sizeof(wanted), by_number)
			   : NULL;
}

size_t hp_blocked_count(const struct hp_blocked_list *list, enum hp_reason first,
			enum hp_reason last)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->items[i].reason >= first && list->items[i].reason <= last;
	return count;
}

void hp_blocked_sort(struct hp_blocked_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_number);
}

void hp_blocked_remove(struct hp_blocked_list *list, size_t at)
{
	hp_blocked_thread_clear(&list->items[at]);
	list->count--;
	memmove(&list->items[at], &list->items[at + 1], (list->count - at) * sizeof(*list->items));
}

static bool copy_text(char **text)
{
	if (*text)
		*text = strdup(*text);
	return *text;
}

/* The texts of a copy are still those of the original. */
static bool copy_texts(struct hp_blocked_thread *copy)
{
	char **texts[] = { &copy->name, &copy->target, &copy->function, &copy->holder_name,
			   &copy->holder_function };
	bool done = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		done &= !*texts[i] || copy_text(texts[i]);
	return done;
}

int hp_blocked_merge(struct hp_blocked_list *into, const struct hp_blocked_list *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct hp_blocked_thread copy = from->items[i];
		bool done = copy_texts(&copy);
		if (!done || !hp_blocked_append(into, copy)) {
			hp_blocked_thread_clear(&copy);
			return -ENOMEM;
		}
	}
	hp_blocked_sort(into);
	return 0;
}

void hp_blocked_thread_clear(struct hp_blocked_thread *thread)
{
	free(thread->name);
	free(thread->target);
	free(thread->function);
	free(thread->holder_name);
	free(thread->holder_function);
	*thread = (struct hp_blocked_thread){ .name = NULL };
}

void hp_blocked_clear(struct hp_blocked_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		hp_blocked_thread_clear(&list->items[i]);
	free(list->items);
	*list = (struct hp_blocked_list){ .items = NULL };
}
