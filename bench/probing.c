/* SPDX-License-Identifier: MIT */
/* What probes cost that stand before other libraries. */
#include "budget.h"

#include <stdio.h>

/* Run a program with a probe; it prints a time in nanoseconds, and a ratio. */
static void run_probed(const char *probe, const char *setting, const char *program,
		       const char *arguments, double *with, double *ratio)
{
	char command[2048];

	snprintf(
		command, sizeof(command),
		"d=$(mktemp -d -p /dev/shm) && env HOTPATH_DIR=$d HOTPATH_RUN=bench %s 'LD_PRELOAD=%s' %s %s; "
		"rm -rf $d",
		setting, probe, program, arguments);
	FILE *stream = popen(command, "r");
	if (!stream || fscanf(stream, "%lf %lf", with, ratio) != 2)
		*with = *ratio = 0;
	if (stream)
		pclose(stream);
}

void bench_glib_queue(const char *probe, const char *program)
{
	double with, ratio;

	run_probed(probe, "", program, "", &with, &ratio);
	row("a message through a GAsyncQueue", with, "ns", ratio, "without", 1.25);
}

/* On a Neoverse-N1 a ratio of 1.22 is 10 ns more than without the probe: there a pair takes 11.2 ns, and a try with two
   readings of the clock 17.4 ns. */
#define FREE_BUDGET 1.22
/* The same without the readings: a try and a release take 16.2 ns. And for a write to /dev/null 1.08 is 25 ns more, the two
   readings included: it takes 135 ns. */
#define NOHOLD_BUDGET 1.30
#define WRITE_BUDGET 1.08

void bench_waits(const char *probe, const char *program)
{
	static const struct {
		const char *name, *setting, *arguments, *to;
		double budget;
	} rows[] = {
		{ "lock + unlock, free", "HOTPATH_WAITS=locks", "free 1", "try + clocks",
		  FREE_BUDGET },
		{ "the same on two threads", "HOTPATH_WAITS=locks", "free 2", "try + clocks",
		  FREE_BUDGET },
		{ "without hold times", "HOTPATH_WAITS=locks,nohold", "nohold 1", "try",
		  NOHOLD_BUDGET },
		{ "contended, 200 ns held", "HOTPATH_WAITS=locks", "contended 2", "without", 1.05 },
		{ "write of one byte", "HOTPATH_WAITS=io", "write 1", "write + clocks",
		  WRITE_BUDGET },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double with, ratio;
		run_probed(probe, rows[i].setting, program, rows[i].arguments, &with, &ratio);
		row(rows[i].name, with, "ns", ratio, rows[i].to, rows[i].budget);
	}
}
