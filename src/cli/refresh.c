/* SPDX-License-Identifier: MIT */
/* The option --refresh-ms: the interval between updates. */
#include "refresh.h"

#include "command.h"
#include "console.h"
#include "format.h"
#include "output.h"

#include <errno.h>

int refresh_interval(const struct input *input, unsigned *milliseconds)
{
	const char *given = input_option(input, "refresh-ms");
	int number = HP_REFRESH_MS_DEFAULT;

	if (given && (!hp_parse_count(given, &number) || number < HP_REFRESH_MS_MIN ||
		      number > HP_REFRESH_MS_MAX)) {
		complain("%s: --refresh-ms: '%s' is not a number from %d to %d",
			 input->command->name, given, HP_REFRESH_MS_MIN, HP_REFRESH_MS_MAX);
		return -EINVAL;
	}
	*milliseconds = (unsigned)number;
	return 0;
}
