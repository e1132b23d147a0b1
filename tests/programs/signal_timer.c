/* SPDX-License-Identifier: MIT */
/*
 * A timer's handler measures the same function as the loop that it interrupts, and its own.
 *
 * usage: signal_timer own-stack|heap-stack|local-stack     where the handler runs
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum {
	SIGNALS = 4000,
	STACK = 64 * 1024,
};

static volatile uint64_t in_loop, in_handler, handled, arounds;

__attribute__((noinline)) static void shared(volatile uint64_t *count)
{
	HOTPATH_MEASURE();

	++*count;
}

static void handler(int number)
{
	HOTPATH_MEASURE();

	(void)number;
	handled++;
	shared(&in_handler);
}

/* Every call lasts for several signals: none may be taken for one that was left. */
__attribute__((noinline)) static void around(void)
{
	HOTPATH_MEASURE();
	uint64_t enough = handled + 10;

	arounds++;
	while (handled < enough)
		shared(&in_loop);
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	char local[STACK];
	const char *where = argc > 1 ? argv[1] : "own-stack";
	stack_t stack = { .ss_sp = strcmp(where, "local-stack") == 0 ? local : malloc(STACK),
			  .ss_size = STACK };
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = strcmp(where, "own-stack") == 0 ? 0 : SA_ONSTACK };
	struct itimerval often = { { 0, 20 }, { 0, 20 } }, never = { { 0, 0 }, { 0, 0 } };

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < SIGNALS)
		around();
	setitimer(ITIMER_REAL, &never, NULL);
	truth("shared", in_loop + in_handler);
	truth("handler", handled);
	truth("around", arounds);
	truth("@elapsed", own_clock() - start);
	return 0;
}
