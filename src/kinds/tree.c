/* SPDX-License-Identifier: MIT */
/* The call tree: functions under those that call them. */
#include "function_columns.h"

/* clang-format off */
static const struct hp_field fields[] = {
	{ "calls", COLUMN_CALLS, .unit = HP_FIELD_CALLS, .at = AT(calls) },
	{ "open", NULL, HP_FIELD_COUNT, AT(open) },
	{ "total_ns", COLUMN_TOTAL, .unit = HP_FIELD_TIME, .at = AT(total_ns), .depth = HP_INCLUSIVE,
	  .is_rough = true },
	{ "self_ns", COLUMN("Self", "self", 110, 0), .unit = HP_FIELD_TIME, .at = AT(self_ns),
	  .depth = HP_EXCLUSIVE, .is_rough = true },
	{ "percent_total", COLUMN_SHARE, .unit = HP_FIELD_PART, .at = AT(total_ns), .whole = TOTAL(elapsed_ns),
	  .is_known = hp_function_is_timed },
	FIELD_FUNCTION,
	HP_FIELDS_NONE,
};
/* clang-format on */

const struct hp_kind hp_kind_tree = {
	.key = "call_tree",
	.noun = "function",
	.header = "Function",
	.limit = "rows of the call tree",
	.default_limit = 60,
	.fields = fields,
	.tables = { { .name = "tree",
		      .aliases = "call-tree",
		      .sentence =
			      "Functions under their callers; 100 % is the time in the first line.",
		      .order = 20,
		      .tab = "Functions",
		      .pane = "Tree",
		      .how = "There is no call tree.\n\n"
			     "Measure functions with HOTPATH_MEASURE() (hotpath.h), or compile the program\n"
			     "with 'hotpath cc' instead of 'cc'; and do not set HOTPATH_TREE=0." } },
	.is_of_functions = true,
};
