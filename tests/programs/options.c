/* SPDX-License-Identifier: MIT */
/* Chooses how its report looks, starts twice, and leaves the second start without effect. */
#include <hotpath.h>

#include "truth.h"

#include <errno.h>
#include <stdlib.h>

#define MEASURED(name)                                                                             \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		HOTPATH_MEASURE();                                                                 \
	}

MEASURED(one)
MEASURED(two)
MEASURED(three)

int main(int argc, char **argv)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT, other = HOTPATH_OPTIONS_INIT;
	struct hotpath_options wrong = HOTPATH_OPTIONS_INIT;

	options.output_path = argc > 1 ? argv[1] : NULL;
	options.format = HOTPATH_FORMAT_JSON;
	options.caller = "the_caller";
	options.limit = 2;
	options.percentiles[0] = 50;
	options.percentiles[1] = 99.9;
	options.percentile_count = 2;
	other.caller = "another";
	other.output_path = "/nonexistent/report";
	wrong.size = 1;
	if (hotpath_stop() != -EALREADY || hotpath_start(&wrong) != -EINVAL)
		return 1;
	if (hotpath_start(&options) || hotpath_start(&other) || hotpath_start(NULL))
		return 2;
	one();
	two();
	three();
	return hotpath_stop() ? 3 : 0;
}
