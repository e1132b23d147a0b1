/* SPDX-License-Identifier: MIT */
/*
 * Tasks that share their thread-local variables: what clone makes with the memory of its caller, and no variables of its
 * own. They run at the same time, and find one state.
 *
 *	hotpath__me ──► group          busy is SHARED: the hot path leaves it alone
 *	                tasks   │ tid, state │ tid, state │ …
 *
 * Libhotpath.so sees such a task before it begins, and puts a group in the place of the state. It has a state for each of
 * them, which is found by what the kernel calls the task: that takes a system call, so these are measured more slowly
 * than threads. What another one than clone makes so is not seen.
 */
#include "recorder.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* At the same time. */
	TASKS = 64,
};

struct task {
	/* 0 when there is none. Written with the lock, and last. */
	uint32_t tid;
	struct thread *state;
};

struct hotpath__group {
	/* What threads find: no state that could be used. */
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
		/* ACQUIRE pairs with the RELEASE of adding it. */
		if (load(&tasks[i].tid, ACQUIRE) == tid)
			return tasks[i].state;
	return NULL;
}

/* ---- the lock is held ---- */

static bool is_gone(uint32_t tid)
{
	/* It may be a process of its own, which threads of this one are not. */
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
	/* Pairs with the ACQUIRE of whoever looks for it. */
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

/* The lock is known to be ours by what is replaced here: nobody holds it then. */
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
