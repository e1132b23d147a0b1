/* SPDX-License-Identifier: MIT */
/* The cost of following allocations, in time and memory, and that of heaptrack. */
#include "budget.h"

#include <stdio.h>
#include <stdlib.h>

/* Modes of recording allocations, and their budgets on one thread and on two. The mode live keeps the stack of each. */
static const struct {
	const char *mode;
	double budget[2];
} alloc_modes[] = { { "count", { 1.25, 1.25 } },
		    { "freed", { 1.60, 1.60 } },
		    { "live", { 5.00, 6.00 } } };

enum { MODES = sizeof(alloc_modes) / sizeof(*alloc_modes), ROUNDS = 5 };

static double run_allocating(const char *probe, const char *mode, const char *program,
			     const char *arguments)
{
	char settings[1100] = "";

	if (mode)
		snprintf(settings, sizeof(settings),
			 "HOTPATH_RUN=bench HOTPATH_ALLOC=%s 'LD_PRELOAD=%s'", mode, probe);
	return run_program(settings, program, arguments);
}

/* The memory for following blocks, as a share of the heap: the difference between 1 000 000 and 500 000 blocks. */
static void bench_followed(const char *probe, const char *program, const char *what, unsigned size)
{
	char few[64], many[64], name[64];

	snprintf(few, sizeof(few), "live 500000 %u", size);
	snprintf(many, sizeof(many), "live 1000000 %u", size);
	snprintf(name, sizeof(name), "memory to follow blocks %s", what);
	double heap = run_allocating(probe, NULL, program, many) -
		      run_allocating(probe, NULL, program, few);
	double with = run_allocating(probe, "live", program, many) -
		      run_allocating(probe, "live", program, few);
	row(name, (with - heap) / 1024, "KB", (with - heap) / heap, "heap", 0.10);
}

static void keep_best(double *best, double time)
{
	if (!*best || time < *best)
		*best = time;
}

/* Without the probe and with it in each mode they take turns; of each the best counts. */
static void bench_pairs(const char *probe, const char *program, unsigned threads)
{
	double bare = 0, with[MODES] = { 0 };
	char arguments[32], name[64];

	snprintf(arguments, sizeof(arguments), "pairs 1000000 %u", threads);
	for (unsigned round = 0; round < ROUNDS; round++) {
		keep_best(&bare, run_allocating(probe, NULL, program, arguments));
		for (unsigned i = 0; i < MODES; i++)
			keep_best(&with[i],
				  run_allocating(probe, alloc_modes[i].mode, program, arguments));
	}
	for (unsigned i = 0; i < MODES; i++) {
		snprintf(name, sizeof(name), "malloc(64) and free, %s%s", alloc_modes[i].mode,
			 threads == 2 ? ", two threads" : "");
		row(name, with[i], "ns", with[i] / bare, "without",
		    alloc_modes[i].budget[threads - 1]);
	}
}

void bench_allocations(const char *probe, const char *program)
{
	bench_pairs(probe, program, 1);
	bench_pairs(probe, program, 2);
	bench_followed(probe, program, "of 64 bytes", 64);
	bench_followed(probe, program, "of many sizes", 0);
}

/* heaptrack, if it is installed, must add at least ten times what we add. */
void bench_heaptrack(const char *probe, const char *program)
{
	char heaptrack[1100];

	if (system("command -v heaptrack > /dev/null") != 0)
		return;
	snprintf(heaptrack, sizeof(heaptrack), "heaptrack -o $d/data %s", program);
	double bare = run_allocating(probe, NULL, program, "pairs 200000 1");
	double ours = run_allocating(probe, "live", program, "pairs 200000 1") - bare;
	char numbers[1200];
	snprintf(numbers, sizeof(numbers),
		 "sh -c '%s pairs 200000 1 2>/dev/null | grep -x [0-9.]*'", heaptrack);
	double theirs = run_program("", numbers, "") - bare;
	print_row("what heaptrack adds to malloc(64) and free", theirs, "ns", theirs / ours,
		  "live's", 10, theirs >= 10 * ours);
}
