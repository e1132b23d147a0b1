/* SPDX-License-Identifier: MIT */
/*
 * The cost of a start: of a program that does nothing, into which the library is preloaded; and of one that is linked with
 * it and measures one call.
 *
 * Instructions are counted, because they are the same in every run: by the processor, or by valgrind where the processor's
 * counters cannot be used, as in most virtual machines. Times are the best of many.
 */
#include "budget.h"

#include <stdio.h>

enum {
	ROUNDS = 40,
};

/* A way to count the instructions of a program: what is before and after its name in a command that prints them. */
struct counter {
	const char *before, *after;
};

static const struct counter counters[] = {
	{ "perf stat -x, -e instructions:u -o $d/count",
	  "> /dev/null 2>&1; sed -n 's/,.*instructions.*//p' $d/count 2> /dev/null" },
	{ "valgrind --tool=callgrind --callgrind-out-file=/dev/null",
	  "2>&1 | sed -n 's/.*Collected : //p'" },
};

static double count(const struct counter *counter, const char *settings, const char *program)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s %s", counter->before, program);
	return run_program(settings, command, counter->after);
}

/* The first counter that works; NULL when none does. */
static const struct counter *find_counter(const char *program)
{
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (count(&counters[i], "", program) > 0)
			return &counters[i];
	return NULL;
}

static void bench_instructions(const char *preload, const char *plain, const char *measured)
{
	const struct counter *counter = find_counter(plain);
	if (!counter)
		return;

	double alone = count(counter, "", plain), with = count(counter, preload, plain);
	double one = count(counter, "HOTPATH_RUN=bench", measured);
	row("instructions of a start, preloaded", with / 1000, "k", with / alone, "alone", 1.65);
	row("instructions of one with a measured call", one / 1000, "k", one / alone, "alone", 14);
}

/* Start a program many times, with a folder for its segments; print the least time of one, in milliseconds. */
static double best_ms(const char *settings, const char *program)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s times %u %s", program, ROUNDS, program);
	return run_program(settings, command, "");
}

void bench_starting(const char *library, const char *plain, const char *measured)
{
	char preload[1100];

	snprintf(preload, sizeof(preload), "HOTPATH_RUN=bench 'LD_PRELOAD=%s'", library);
	bench_instructions(preload, plain, measured);
	double time = best_ms("HOTPATH_RUN=bench", measured) - best_ms("", plain);
	row("time that a measured call adds to a run", time, "ms", time / 3, "3 ms", 1);
}
