/* SPDX-License-Identifier: MIT */
/*
 * Tasks that share their thread-local variables: made by clone with CLONE_VM and without CLONE_SETTLS. They run at the
 * same time, and find the same state in hotpath__me.
 *
 *	hotpath__me ──► group          busy is SHARED: the hot path does not use it
 *	                tasks   │ tid, state │ tid, state │ …
 *
 * libhotpath.so wraps clone. Before such a task begins, it replaces the state by a group, which has a state for each
 * task, found by its tid. To ask for the tid takes a system call, so tasks are measured more slowly than threads. Tasks
 * that are made in another way than by clone are not noticed.
 */
#include "threads.h"

#include "lifecycle.h"
#include "platform.h"
#include "recorder_state.h"
#include "room.h"
#include "seccomp.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* The most tasks of a group that exist at the same time. */
	TASKS = 64,
};

struct task {
	/* 0 in an unused entry. Stored last, with the lock held. */
	uint32_t tid;
	struct thread *state;
};

struct hotpath__group {
	/* What hotpath__me points to. Its `busy` is SHARED, and it is never used as a state. */
	struct thread shared;
	struct hotpath__group *next;
	struct task tasks[TASKS];
};

static struct hotpath__group *group_of(struct thread *shared)
{
	return (struct hotpath__group *)(void *)shared;
}

struct thread *hotpath__task_state(struct thread *shared)
{
	struct task *tasks = group_of(shared)->tasks;
	uint32_t tid = hotpath__tid();

	for (unsigned i = 0; i < TASKS; i++)
		/* ACQUIRE pairs with the RELEASE in hotpath__task_begins. */
		if (load(&tasks[i].tid, ACQUIRE) == tid)
			return tasks[i].state;
	return NULL;
}

/* ---- the lock is held ---- */

static bool is_gone(uint32_t tid)
{
	/* tkill and not tgkill: the task may be a process of its own. */
	return syscall(SYS_tkill, tid, 0) != 0 && errno == ESRCH;
}

static struct task *free_task(struct hotpath__group *group)
{
	for (unsigned i = 0; i < TASKS; i++)
		if (!group->tasks[i].tid)
			return &group->tasks[i];
	for (unsigned i = 0; i < TASKS; i++)
		if (is_gone(group->tasks[i].tid)) {
			hotpath__thread_is_gone(group->tasks[i].state);
			return &group->tasks[i];
		}
	return NULL;
}

bool hotpath__task_begins(struct thread *shared, struct thread *me)
{
	struct task *task = free_task(group_of(shared));

	if (!task)
		return false;
	me->is_task = true;
	task->state = me;
	/* Pairs with the ACQUIRE in hotpath__task_state. */
	store(&task->tid, me->tid, RELEASE);
	return true;
}

void hotpath__task_ends(struct thread *me)
{
	for (struct hotpath__group *group = hotpath__recorder->groups; group; group = group->next)
		for (unsigned i = 0; i < TASKS; i++)
			if (group->tasks[i].state == me)
				store(&group->tasks[i].tid, 0, RELAXED);
	me->is_task = false;
}

bool hotpath__task_is_gone(const struct thread *me)
{
	return is_gone(me->tid);
}

static struct hotpath__group *new_group(void)
{
	struct hotpath__group *group = hotpath__map_own(sizeof(*group));

	if (!group)
		return NULL;
	group->shared.busy = SHARED;
	group->shared.frames = group->shared.first;
	group->shared.top = group->shared.first;
	group->next = hotpath__recorder->groups;
	hotpath__recorder->groups = group;
	return group;
}

/* ---- without it ---- */

/* hotpath__me is replaced after the lock was released, because the lock identifies its owner by what is replaced
   here. */
void hotpath__share_state(void)
{
	struct thread *me = hotpath__me;
	struct guard guard;

	if (hotpath__is_idle() || hotpath__state() == STATE_OFF || hotpath__is_locking() ||
	    (me && me->busy == SHARED))
		return;
	hotpath__lock(&guard);
	struct hotpath__group *group = new_group();
	if (group && me && me->busy)
		hotpath__task_begins(&group->shared, me);
	hotpath__unlock(&guard);
	if (group)
		hotpath__me = &group->shared;
}
