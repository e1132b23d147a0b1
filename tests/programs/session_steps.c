/* SPDX-License-Identifier: MIT */
/*
 * A thread measures while main is at every few instructions of starting, or of stopping to record.
 *
 *	main     hotpath_start, halted …  here() × 5    thread: 5 calls    hotpath_stop, halted … report
 *	thread            3 calls                                                   3 calls
 *
 * The report holds five calls of each, and of the three that met the start or the stop any number.
 *
 * usage: session_steps start|stop FOLDER     of the reports
 */
#include <hotpath.h>

#include "stepper.h"
#include "truth.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum {
	STRIDE = 5,
	/* Printing the report is a long way: of that only the beginning. */
	ROUNDS_MAX = 300,
	CALLS = 5,
	MEETING = 3,
};

static bool at_start;

/* Have the thread make so many calls, and wait for it. */
static void have_called(int calls)
{
	stepper->turn = calls;
	while (stepper->turn)
		sched_yield();
}

__attribute__((noinline)) static void there(void)
{
	HOTPATH_MEASURE();
}

__attribute__((noinline)) static void here(void)
{
	HOTPATH_MEASURE();
}

static void *thread(void *unused)
{
	for (;;) {
		for (int i = 0; i < stepper->turn; i++)
			there();
		stepper->turn = 0;
		while (stepper->turn == 0)
			sched_yield();
	}
	return unused;
}

static void cycle(const char *folder, uint64_t number)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%" PRIu64 ".json", folder, number);
	options.format = HOTPATH_FORMAT_JSON;
	options.output_path = path;
	options.caller = "caller";
	if (at_start)
		stepper_enter();
	hotpath_start(&options);
	stepper_leave();
	for (int i = 0; i < CALLS; i++)
		here();
	have_called(CALLS);
	if (!at_start)
		stepper_enter();
	hotpath_stop();
	stepper_leave();
}

static void meet(pid_t id)
{
	have_called(MEETING);
	stepper_go_on(id, 0);
}

int main(int argc, char **argv)
{
	pthread_t id;

	if (argc < 3)
		return 1;
	at_start = strcmp(argv[1], "start") == 0;
	pid_t pid = stepper_fork();
	if (pid)
		return stepper_drive(pid, meet, STRIDE);
	stepper_traced();
	pthread_create(&id, NULL, thread, NULL);
	while (stepper_more() && stepper->rounds < ROUNDS_MAX)
		cycle(argv[2], stepper->rounds);
	truth("@cycles", stepper->rounds);
	return 0;
}
