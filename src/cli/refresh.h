/* SPDX-License-Identifier: MIT */
/* The option --refresh-ms: the interval between updates. */
#ifndef REFRESH_H
#define REFRESH_H

#include "options.h"

#define REFRESH_OPTION                                                                             \
	{                                                                                          \
		.name = "refresh-ms", .value = "N",                                                \
		.help = "update every N milliseconds, from 50 to 60000; the default is 500"        \
	}

/** Take the interval from the command line. Returns 0, or -EINVAL after one line on standard error. */
int refresh_interval(const struct input *input, unsigned *milliseconds);

#endif
