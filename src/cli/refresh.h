/* SPDX-License-Identifier: MIT */
/* Options of the commands that watch a program: the interval between updates, and the processes of a run. */
#ifndef REFRESH_H
#define REFRESH_H

#include "options.h"

#define REFRESH_OPTION                                                                             \
	{                                                                                          \
		.name = "refresh-ms", .value = "N",                                                \
		.help = "update every N milliseconds, from 50 to 60000; the default is 500"        \
	}

#define PROCESS_OPTION                                                                             \
	{                                                                                          \
		.name = "process", .value = "PID|NAME|N",                                          \
		.help = "of a run, show only the process PID, those of the program NAME, or the "  \
			"Nth that the section 'processes' lists"                                   \
	}

/** Take the interval from the command line. Returns 0, or -EINVAL after one line on standard error. */
int refresh_interval(const struct input *input, unsigned *milliseconds);

#endif
