/* SPDX-License-Identifier: MIT */
/*
 * Memory for tasks: an array that is mapped once, and a lock-free list of the free entries.
 *
 * The head of the list is the number of a task, from 1 on, and a tag, which is incremented with each change. The tag
 * prevents the ABA problem: a thread that is about to take the first task notices if that was taken and given back
 * meanwhile.
 */
#include "tasks.h"

#include <string.h>
#include <sys/mman.h>

enum { TASKS_MAX = 1 << 18 };

static struct task *tasks;
/* How many entries were ever used. */
static uint32_t used;
static uint64_t head;

#define HEAD_NUMBER(head) ((uint32_t)(head))
#define HEAD_NEXT(head, number) ((((head) >> 32) + 1) << 32 | (number))

static struct task *reserve(void)
{
	struct task *none = NULL;
	void *room = mmap(NULL, sizeof(struct task) * TASKS_MAX, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return NULL;
	/* RELEASE pairs with the ACQUIRE in task_take. */
	if (__atomic_compare_exchange_n(&tasks, &none, room, false, __ATOMIC_RELEASE,
					__ATOMIC_ACQUIRE))
		return room;
	munmap(room, sizeof(struct task) * TASKS_MAX);
	return none;
}

static bool move_head(uint64_t *was, uint32_t number)
{
	return __atomic_compare_exchange_n(&head, was, HEAD_NEXT(*was, number), false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static struct task *take_free(struct task *all)
{
	uint64_t was = load(&head, ACQUIRE);

	while (HEAD_NUMBER(was)) {
		struct task *first = &all[HEAD_NUMBER(was) - 1];
		if (move_head(&was, load(&first->next_free, RELAXED)))
			return first;
	}
	return NULL;
}

struct task *task_take(void)
{
	struct task *all = load(&tasks, ACQUIRE);

	if (!all && !(all = reserve()))
		return NULL;
	struct task *task = take_free(all);
	if (task) {
		memset(task, 0, sizeof(*task));
		return task;
	}
	uint32_t number = fetch_add(&used, 1, RELAXED);
	if (number < TASKS_MAX)
		return &all[number];
	fetch_add(&used, -1u, RELAXED);
	return NULL;
}

void task_give_back(struct task *task)
{
	uint64_t was = load(&head, ACQUIRE);

	do
		store(&task->next_free, HEAD_NUMBER(was), RELAXED);
	while (!move_head(&was, (uint32_t)(task - tasks) + 1));
}
