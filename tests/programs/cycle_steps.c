/* SPDX-License-Identifier: MIT */
/*
 * Recording stops and starts again while a thread is at every instruction of a measured call.
 *
 *	main     start (old)                     stop  start (new)            stop: report of the new one
 *	thread              100 calls   one call, halted         … 5 calls
 *
 * The new report holds the five calls; of the one that was halted it may hold a call that began late.
 *
 * usage: cycle_steps FOLDER     of the reports
 */
#include <hotpath.h>

#include "stepper.h"
#include "truth.h"

#include <pthread.h>
#include <sched.h>

enum {
	OLD = 100,
	NEW = 5,
};

/* Whose turn it is. */
enum {
	OLD_CALLS = 1,
	HALTED,
	NEW_CALLS,
	NEW_DONE,
};

static void await(int turn)
{
	while (stepper->turn != turn)
		sched_yield();
}

__attribute__((noinline)) static void measured(void)
{
	HOTPATH_MEASURE();
}

static void *thread(void *unused)
{
	stepper_traced();
	do {
		await(OLD_CALLS);
		for (int i = 0; i < OLD; i++)
			measured();
		stepper_enter();
		measured();
		stepper_leave();
		if (!stepper_more())
			stepper->turn = HALTED;
		await(NEW_CALLS);
		for (int i = 0; i < NEW; i++)
			measured();
		stepper->turn = NEW_DONE;
	} while (stepper_more());
	return unused;
}

static void cycle(const char *folder, unsigned number)
{
	struct hotpath_options old = HOTPATH_OPTIONS_INIT, new = HOTPATH_OPTIONS_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%u.json", folder, number);
	old.format = HOTPATH_FORMAT_NONE;
	new.format = HOTPATH_FORMAT_JSON;
	new.output_path = path;
	hotpath_start(&old);
	stepper->turn = OLD_CALLS;
	await(HALTED);
	hotpath_stop();
	hotpath_start(&new);
	stepper->turn = NEW_CALLS;
	await(NEW_DONE);
	hotpath_stop();
}

/* In the parent: let main of the child do its work while the thread stands still. */
static void halt(pid_t id)
{
	stepper->turn = HALTED;
	while (stepper->turn == HALTED)
		sched_yield();
	stepper_go_on(id, 0);
}

int main(int argc, char **argv)
{
	unsigned cycles = 0;
	pthread_t id;

	if (argc < 2)
		return 1;
	pid_t pid = stepper_fork();
	if (pid)
		return stepper_drive(pid, halt, 1);
	pthread_create(&id, NULL, thread, NULL);
	do
		cycle(argv[1], cycles++);
	while (stepper_more());
	pthread_join(id, NULL);
	truth("@cycles", cycles);
	return 0;
}
