/* SPDX-License-Identifier: MIT */
/* Time: how long the calls of functions took. */
#include "function.h"

static uint64_t percentile_of(const void *row, double percent)
{
	return hp_function_percentile(row, percent);
}

/* clang-format off */
#define AT(member) HP_AT(struct hp_function, member)

const struct hp_field hp_call_fields[] = {
	{ "calls", NULL, HP_FIELD_COUNT, AT(calls), .merge = HP_MERGE_SUM,
	  .compare = { "calls", "Calls", .nth = 0, .rank = 2 } },
	{ "open", NULL, HP_FIELD_COUNT, AT(open), .merge = HP_MERGE_SUM },
	{ "calls_per_second", NULL, HP_FIELD_TREND, AT(trend), .when = HP_SHOWN_WATCHED_ONLY },
	{ "total_ns", NULL, HP_FIELD_TIME, AT(total_ns), .merge = HP_MERGE_SUM,
	  .compare = { "total", "Total", HP_COMPARED_TIME, .nth = 2, .rank = 1 } },
	{ "self_ns", NULL, HP_FIELD_TIME, AT(self_ns), .merge = HP_MERGE_SUM,
	  .compare = { "self", "Self", HP_COMPARED_TIME, .nth = 1, .decides = true } },
	{ "sum_ns", NULL, HP_FIELD_TIME, AT(sum_ns), .merge = HP_MERGE_SUM },
	{ "avg_ns", NULL, HP_FIELD_TIME, AT(sum_ns), AT(calls), .when = HP_ZERO_IF_UNKNOWN,
	  .compare = { "avg", "Avg", HP_COMPARED_TIME, .nth = 3, .rank = 3, .needs_row = true } },
	{ "self_avg_ns", NULL, HP_FIELD_TIME, AT(self_ns), AT(calls), .when = HP_ZERO_IF_UNKNOWN },
	{ "min_ns", NULL, HP_FIELD_TIME, AT(min_ns) },
	{ "max_ns", NULL, HP_FIELD_TIME, AT(max_ns), .known = AT(calls), .when = HP_ZERO_IF_UNKNOWN, .merge = HP_MERGE_MOST,
	  .compare = { "max", "Max", HP_COMPARED_TIME, .nth = 5, .rank = 5, .needs_row = true } },
	{ "", NULL, HP_FIELD_PERCENTILE, .known = AT(calls), .percentile = percentile_of,
	  .compare = { "", "", HP_COMPARED_TIME, .nth = 4, .rank = 4, .needs_row = true } },
	{ "histogram", NULL, HP_FIELD_POINTS, AT(times) },
	HP_FIELDS_NONE,
};

#undef AT
/* clang-format on */

const struct hp_kind hp_kind_timing = {
	.key = "functions_timing",
	.noun = "function",
	.header = "Function",
	.limit = "rows of the timing section",
	.default_limit = HP_KIND_ROWS,
	.other_option = "functions",
	.fields = hp_call_fields,
	.tables = { { .name = "timing",
		      .aliases = "functions-timing",
		      .sentence = "Execution duration of functions.",
		      .exclusive = "Exclusive execution duration of functions.",
		      .order = 10,
		      .tab = "Functions",
		      .pane = "Timing",
		      .how = "No function has been measured yet.\n\n"
			     "Measure functions with HOTPATH_MEASURE() (hotpath.h), or compile the program\n"
			     "with 'hotpath cc' instead of 'cc'; then start it with 'hotpath run'." } },
	.is_of_functions = true,
	.has_caller = true,
};
