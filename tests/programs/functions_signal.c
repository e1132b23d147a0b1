/* SPDX-License-Identifier: MIT */
/*
 * A timer's handler calls the same functions as the loop that it interrupts, in the hooks too.
 *
 * usage: functions_signal own-stack|heap-stack|local-stack     where the handler runs
 */
#include "functions.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum {
	SIGNALS = 1000,
	STACK = 64 * 1024,
};

static volatile uint64_t handled;

INLINED void inlined(void)
{
	COUNTED();
}

NOINLINE static void shared(int more)
{
	COUNTED();

	inlined();
	if (more)
		shared(more - 1);
}

static void handler(int number)
{
	COUNTED();

	(void)number;
	handled++;
	shared(2);
}

NOINLINE static void around(void)
{
	COUNTED();
	uint64_t enough = handled + 10;

	while (handled < enough)
		shared(0);
}

int main(int argc, char **argv)
{
	COUNTED();
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
	counted_main(start);
	return 0;
}
