/* SPDX-License-Identifier: MIT */
/*
 * Passes gates, a kind that only tests have (gates.c). How long that took is made up, and the same in each run.
 *
 * usage: pass_gates PASSES HOLD_TICKS PROCESSES
 *
 * In each process, two threads pass the gate "north" PASSES times each. They wait 100, 200, 300, … ticks, and hold it for
 * HOLD_TICKS; every fourth is refused instead. The keeper is "keeper".
 */
#include "probe.h"

#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SITE_GATE = 30, FIRST_PART = 0, SECOND_PART = 5, WAIT = 0, HOLD = 1 };

static unsigned passes;
static uint64_t hold;

static void pass(uint32_t gate, uint32_t keeper, unsigned nth)
{
	struct hotpath__event event = { .site = gate };

	if (nth % 4 == 3) {
		event.counts[SECOND_PART] = 1;
	} else {
		event.counts[FIRST_PART] = 1;
		event.timed = 1 << WAIT | 1 << HOLD;
		event.ticks[WAIT] = 100 * (uint64_t)(nth + 1);
		event.ticks[HOLD] = hold;
		event.slowest = hold;
		event.slowest_site = keeper;
	}
	hotpath__happened(&event);
}

static void *work(void *unused)
{
	uint32_t gate = hotpath__labelled_site(SITE_GATE, "north");
	uint32_t keeper = hotpath__labelled_site(SITE_GATE, "keeper");

	for (unsigned i = 0; i < passes; i++)
		pass(gate, keeper, i);
	return unused;
}

static void two_threads(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, work, NULL))
		errx(2, "no thread");
	work(NULL);
	pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: pass_gates PASSES HOLD_TICKS PROCESSES");
	passes = (unsigned)atoi(argv[1]);
	hold = strtoull(argv[2], NULL, 10);
	for (int i = 1; i < atoi(argv[3]); i++) {
		pid_t child = fork();
		if (child < 0)
			err(2, "fork");
		if (child == 0) {
			two_threads();
			exit(0);
		}
		waitpid(child, NULL, 0);
	}
	two_threads();
	return 0;
}
