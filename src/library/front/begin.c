/* SPDX-License-Identifier: MIT */
/*
 * Samples new threads from their first instruction on: intercepts the functions that create threads. Also if there are no samples,
 * but functions that wait to be measured again (waking.h).
 *
 * Each such thread gets a lane at once, and so does the one that creates it. A thread that sleeps for all its life is in
 * the report as well, and the time of the others begins where they do, not at their first sample.
 */
#include "calls/stack.h"
#include "cpu/sampling.h"
#include "front.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/setup_time.h"
#include "sleds/waking.h"

/* The start routine of a thread; that of a C11 thread returns an int. */
struct hotpath__task {
	struct hotpath__task *next;
	void *(*run)(void *);
	thrd_start_t run_c11;
	void *argument;
};

static void take_lane(void)
{
	/* This may be one of the last destructors of the thread. */
	if (!hotpath__gone)
		hotpath__enter(hotpath__stack_pointer());
}

static struct hotpath__task *new_task(struct hotpath__task wanted)
{
	struct sampling *all = &hotpath__recorder->sampling;
	struct guard guard;

	take_lane();
	hotpath__lock(&guard);
	struct hotpath__task *task = all->spare_tasks;
	if (task)
		all->spare_tasks = task->next;
	else
		task = hotpath__private(sizeof(*task));
	hotpath__unlock(&guard);
	if (task)
		*task = wanted;
	return task;
}

static void free_task(struct hotpath__task *task)
{
	struct sampling *all = &hotpath__recorder->sampling;
	struct guard guard;

	hotpath__lock(&guard);
	task->next = all->spare_tasks;
	all->spare_tasks = task;
	hotpath__unlock(&guard);
}

static struct hotpath__task take_task(struct hotpath__task *task)
{
	struct hotpath__task copy = *task;

	hotpath__setup_begins();
	free_task(task);
	hotpath__sample_thread();
	take_lane();
	hotpath__wake_new_thread();
	hotpath__setup_ends();
	return copy;
}

static void *run(void *argument)
{
	struct hotpath__task task = take_task(argument);

	return task.run(task.argument);
}

static int run_c11(void *argument)
{
	struct hotpath__task task = take_task(argument);

	return task.run_c11(task.argument);
}

VISIBLE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			   void *(*start)(void *), void *argument)
{
	struct hotpath__task *task = NULL;

	if (hotpath__is_sampling() || hotpath__is_waking())
		task = new_task((struct hotpath__task){ .run = start, .argument = argument });
	if (!task)
		return NEXT(pthread_create)(thread, attributes, start, argument);
	int error = NEXT(pthread_create)(thread, attributes, run, task);
	if (error)
		free_task(task);
	return error;
}

VISIBLE int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	struct hotpath__task *task = NULL;

	if (hotpath__is_sampling() || hotpath__is_waking())
		task = new_task((struct hotpath__task){ .run_c11 = start, .argument = argument });
	if (!task)
		return NEXT(thrd_create)(thread, start, argument);
	int error = NEXT(thrd_create)(thread, run_c11, task);
	if (error != thrd_success)
		free_task(task);
	return error;
}
