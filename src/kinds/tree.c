/* SPDX-License-Identifier: MIT */
/* The call tree: functions under those that call them. */
#include "function.h"

const struct hp_kind hp_kind_tree = {
	.key = "call_tree",
	.noun = "function",
	.header = "Function",
	.limit = "rows of the call tree",
	.default_limit = 60,
	.tables = { { .name = "tree",
		      .aliases = "call-tree",
		      .sentence =
			      "Functions under their callers; 100 % is the time in the first line.",
		      .order = 20 } },
	.is_of_functions = true,
};
