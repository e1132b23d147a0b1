/* SPDX-License-Identifier: MIT */
/* Time: how long the calls of functions took. */
#include "function_columns.h"

static uint64_t percentile_of(const void *row, double percent)
{
	return hp_function_percentile(row, percent);
}

static bool was_called(const void *row)
{
	return hp_function_was_called(row);
}

/* In merged models the callers are added up, but the elapsed time is that of the longest: their share may exceed 100 %. */
static bool is_all_time(const void *row, const struct hp_totals *totals)
{
	const struct hp_function *function = row;

	return function->is_caller && totals->processes <= 1;
}

/* By enum hp_measured. */
static const char *const measured_words[] = { "timed", "counted", "partly" };

/* Percentiles are only known of whole calls: tables of exclusive figures have none. */
/* clang-format off */
const struct hp_field hp_call_fields[] = {
	FIELD_FUNCTION,
	{ "calls", COLUMN_CALLS, .unit = HP_FIELD_CALLS, .at = AT(calls), .merge = HP_MERGE_SUM,
	  .compare = { "calls", "Calls", .nth = 0, .rank = 2, .per = HP_PER_SECOND } },
	{ "open", NULL, HP_FIELD_COUNT, AT(open), .merge = HP_MERGE_SUM, .is_level = true },
	{ "counted_calls", NULL, HP_FIELD_COUNT, AT(counted), .merge = HP_MERGE_SUM },
	{ "inner_calls", NULL, HP_FIELD_COUNT, AT(inner_calls), .merge = HP_MERGE_SUM },
	{ "measured", NULL, .unit = HP_FIELD_WORD, .at = AT(measured), .words = measured_words,
	  .word_count = sizeof(measured_words) / sizeof(*measured_words), .merge = HP_MERGE_MOST,
	  .wanted = "timed, counted or partly" },
	FIELD_RATE("calls_per_second"),
	{ "total_ns", COLUMN_TOTAL, .unit = HP_FIELD_TIME, .at = AT(total_ns), .depth = HP_INCLUSIVE, .is_rough = true,
	  .merge = HP_MERGE_SUM, .compare = { "total", "Total", HP_COMPARED_TIME, .nth = 2, .rank = 1, .is_of_runs = true } },
	{ "self_ns", COLUMN_TOTAL, .unit = HP_FIELD_TIME, .at = AT(self_ns), .depth = HP_EXCLUSIVE, .is_rough = true,
	  .merge = HP_MERGE_SUM, .compare = { "self", "Self", HP_COMPARED_TIME, .nth = 1, .decides = true, .per = AT(calls) } },
	{ "sum_ns", NULL, HP_FIELD_TIME, AT(sum_ns), .merge = HP_MERGE_SUM },
	{ "avg_ns", COLUMN_AVERAGE, .unit = HP_FIELD_TIME, .at = AT(sum_ns), .over = AT(calls), .when = HP_ZERO_IF_UNKNOWN,
	  .depth = HP_INCLUSIVE, .is_rough = true,
	  .compare = { "avg", "Avg", HP_COMPARED_TIME, .nth = 3, .rank = 3, .needs_row = true } },
	{ "self_avg_ns", COLUMN_AVERAGE, .unit = HP_FIELD_TIME, .at = AT(self_ns), .over = AT(calls),
	  .when = HP_ZERO_IF_UNKNOWN, .depth = HP_EXCLUSIVE, .is_rough = true },
	/* Sorting by these takes percentiles 0 and 100, which all tables have. */
	{ "min_ns", COLUMN(NULL, "min", 120, 0), .unit = HP_FIELD_TIME, .at = AT(min_ns) },
	{ "max_ns", COLUMN(NULL, "max", 130, 0), .unit = HP_FIELD_TIME, .at = AT(max_ns), .known = AT(calls),
	  .when = HP_ZERO_IF_UNKNOWN, .merge = HP_MERGE_MOST,
	  .compare = { "max", "Max", HP_COMPARED_TIME, .nth = 5, .rank = 5, .needs_row = true } },
	{ "", COLUMN_PERCENTILE, .unit = HP_FIELD_PERCENTILE, .known = AT(calls), .percentile = percentile_of,
	  .when = HP_ZERO_IF_UNKNOWN, .depth = HP_INCLUSIVE, .is_rough = true,
	  .compare = { "", "", HP_COMPARED_TIME, .nth = 4, .rank = 4, .needs_row = true } },
	{ NULL, COLUMN_SHARE, .unit = HP_FIELD_PART, .at = AT(total_ns), .whole = TOTAL(elapsed_ns), .depth = HP_INCLUSIVE,
	  .is_whole = is_all_time, .is_known = hp_function_is_timed },
	{ NULL, COLUMN_SHARE, .unit = HP_FIELD_PART, .at = AT(self_ns), .whole = TOTAL(elapsed_ns), .depth = HP_EXCLUSIVE,
	  .is_known = hp_function_is_timed },
	{ NULL, COLUMN_SELF, .unit = HP_FIELD_TIME, .at = AT(self_ns) },
	FIELD_TREND,
	{ "histogram", NULL, HP_FIELD_POINTS, AT(times) },
	HP_FIELDS_NONE,
};
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
	.has_row = was_called,
	.total = "total",
};
