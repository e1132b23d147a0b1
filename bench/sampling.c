/* SPDX-License-Identifier: MIT */
/*
 * What sampling adds to the CPU time of a program that only computes, and what others add.
 *
 * The difference is small: so the ways to run the program take turns, many times, and of each the best counts.
 */
#include "budget.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ROUNDS = 9,
	WAYS_MAX = 6,
};

#define WORK "300000"

/* A way to run the program: with settings, and behind the words of another program. */
struct way {
	char settings[1200];
	char program[1200];
	/* NULL if there are none but the work. */
	const char *arguments;
	double best;
};

static void run(struct way *way)
{
	double time = run_program(way->settings, way->program,
				  way->arguments ? way->arguments : WORK " 2> /dev/null");

	if (!way->best || time < way->best)
		way->best = time;
}

static void add_ours(struct way *way, const char *library, const char *program, unsigned rate)
{
	snprintf(way->settings, sizeof(way->settings),
		 "HOTPATH_RUN=bench HOTPATH_CPU=1 HOTPATH_CPU_RATE=%u 'LD_PRELOAD=%s'", rate,
		 library);
	snprintf(way->program, sizeof(way->program), "%s", program);
}

static double added(const struct way *way, const struct way *bare)
{
	return (way->best / bare->best - 1) * 100;
}

static void print(const char *name, const struct way *way, const struct way *bare, double budget)
{
	double percent = added(way, bare);

	print_row(name, percent, "%", way->best / bare->best, "without", budget,
		  !budget || way->best <= bare->best * budget);
}

/* Print the CPU time that one sample takes, in microseconds; `rate` is in samples per second. */
static void print_sample(const struct way *way, const struct way *bare, double rate)
{
	double budget = 8, took = (way->best / bare->best - 1) / rate * 1e6;

	row("a sample with an unwound stack of 30 frames", took, "us", took / budget, "limit", 1);
}

/* The path of gperftools' profiler library; empty if it is not installed. */
static const char *profiler(void)
{
	static char path[512];
	FILE *stream = popen("ldconfig -p | sed -n 's/.*libprofiler.so.* => //p'", "r");

	if (!stream || fscanf(stream, "%511s", path) != 1)
		path[0] = '\0';
	if (stream)
		pclose(stream);
	return path;
}

static bool has_perf(void)
{
	return system("perf record -g -o /dev/null true > /dev/null 2>&1") == 0;
}

void bench_sampling(const char *library, const char *program)
{
	struct way ways[WAYS_MAX] = { { .best = 0 } };
	const struct way *bare = &ways[0];
	unsigned count = 4;

	snprintf(ways[0].program, sizeof(ways[0].program), "%s", program);
	add_ours(&ways[1], library, program, 999);
	add_ours(&ways[2], library, program, 10000);
	struct way *empty = &ways[3];
	snprintf(empty->program, sizeof(empty->program), "%s", program);
	empty->arguments = WORK " 10000";
	struct way *perf = has_perf() ? &ways[count++] : NULL;
	if (perf)
		snprintf(perf->program, sizeof(perf->program),
			 "perf record -q -g -F 999 -o $d/data %s", program);
	struct way *gperf = profiler()[0] ? &ways[count++] : NULL;
	if (gperf) {
		snprintf(gperf->settings, sizeof(gperf->settings),
			 "CPUPROFILE=$d/data CPUPROFILE_FREQUENCY=999 'LD_PRELOAD=%s'", profiler());
		snprintf(gperf->program, sizeof(gperf->program), "%s", program);
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < count; i++)
			run(&ways[i]);
	print("what 999 samples a second add to CPU time", &ways[1], bare, 1.008);
	print("what 10000 samples a second add", &ways[2], bare, 1.06);
	print_sample(&ways[2], bare, 10000);
	if (empty->best)
		print("what 10000 signals with an empty handler add", empty, bare, 0);
	if (perf)
		print("what perf record -g adds at 999", perf, bare, 0);
	if (gperf)
		print("what gperftools adds at 999", gperf, bare, 0);
}
