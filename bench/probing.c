/* SPDX-License-Identifier: MIT */
/* What probes cost that stand before other libraries. */
#include "budget.h"

#include <stdio.h>

void bench_glib_queue(const char *probe, const char *program)
{
	char command[2048];
	double with = 0, ratio = 0;

	snprintf(
		command, sizeof(command),
		"d=$(mktemp -d -p /dev/shm) && env HOTPATH_DIR=$d HOTPATH_RUN=bench 'LD_PRELOAD=%s' %s; "
		"rm -rf $d",
		probe, program);
	FILE *stream = popen(command, "r");
	if (!stream || fscanf(stream, "%lf %lf", &with, &ratio) != 2)
		with = 0;
	if (stream)
		pclose(stream);
	row("a message through a GAsyncQueue", with, "ns", ratio, "without", 1.25);
}
