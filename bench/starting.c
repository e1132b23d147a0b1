/* SPDX-License-Identifier: MIT */
/*
 * The cost of a start: of a program that does nothing, into which the library is preloaded; of one that is linked with it
 * and measures one call; of the tool, which runs a program that does nothing; and of one whose functions are all
 * instrumented, and called once at many places of the call tree.
 *
 * Instructions are counted, because they are the same in every run: by the processor, or by valgrind where the processor's
 * counters cannot be used, as in most virtual machines. Times are the best of many.
 */
#include "budget.h"

#include <stdio.h>

enum {
	ROUNDS = 40,
	/* The functions that the last one calls. */
	FUNCTIONS = 329,
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
	double one = count(counter, "HOTPATH_RUN=1-1", measured);
	row("instructions of a start, preloaded", with / 1000, "k", with / alone, "alone", 1.65);
	row("instructions of one with a measured call", one / 1000, "k", one / alone, "alone", 9);
}

/* Start a command many times, with a folder for its segments; return the least time of one, in milliseconds. */
static double best_ms(const char *settings, const char *starter, const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s times %u", starter, ROUNDS);
	return run_program(settings, line, command);
}

/* What the tool takes for a program that does nothing, itself included; and what it adds to one with many functions. */
static void bench_tool(const char *tool, const char *starter, const char *spread)
{
	double allowed = 3 + 0.002 * FUNCTIONS;
	char command[1024];

	snprintf(command, sizeof(command), "'%s' run --no-cpu --format none '%s'", tool, starter);
	double idle = best_ms("", starter, command);
	row("hotpath run of a program that does nothing", idle, "ms", idle / 2, "2 ms", 1);
	snprintf(command, sizeof(command), "'%s' run --no-cpu --format none '%s'", tool, spread);
	double added = best_ms("", starter, command) - best_ms("", starter, spread);
	row("hotpath run adds, 329 functions, 2569 places", added, "ms", added / allowed,
	    "3 ms+2 us", 1);
}

void bench_starting(const struct starting *programs)
{
	char preload[1100];

	snprintf(preload, sizeof(preload), "HOTPATH_RUN=1-1 'LD_PRELOAD=%s'", programs->library);
	bench_instructions(preload, programs->plain, programs->measured);
	double time = best_ms("HOTPATH_RUN=1-1", programs->plain, programs->measured) -
		      best_ms("", programs->plain, programs->plain);
	row("time that a measured call adds to a run", time, "ms", time / 3, "3 ms", 1);
	bench_tool(programs->tool, programs->plain, programs->spread);
}
