/* SPDX-License-Identifier: MIT */
/* Allocations: what functions allocated, in bytes and in blocks. */
#include "function_columns.h"

/* A function that is not measured is known by its calls of malloc. */
static uint64_t calls_of(const void *row)
{
	const struct hp_function *function = row;

	return function->kind == HP_SITE_CALL ? function->alloc.count : function->calls;
}

/* A process is not called. */
static bool has_calls(const void *row)
{
	const struct hp_function *function = row;

	return calls_of(row) || function->open;
}

/* Functions that were called but did not allocate have a row too, for readers of JSON. */
static bool was_called_or_allocated(const void *row)
{
	const struct hp_function *function = row;

	return hp_function_was_called(function) || function->alloc.count ||
	       function->alloc.freed_count;
}

/* ---- averages and percentiles ---- */

static bool has_average(const void *row)
{
	const struct hp_function *function = row;

	return function->calls || function->kind == HP_SITE_CALL;
}

static uint64_t mean(const void *row, uint64_t total)
{
	uint64_t calls = calls_of(row);

	return calls ? total / calls + (total % calls >= calls - calls / 2) : 0;
}

#define DEFINE_AVERAGE(name, total)                                                                \
	static uint64_t name(const void *row)                                                      \
	{                                                                                          \
		const struct hp_alloc_figures *alloc = &((const struct hp_function *)row)->alloc;  \
		return mean(row, total);                                                           \
	}

DEFINE_AVERAGE(average_bytes, alloc->bytes)
DEFINE_AVERAGE(average_count, alloc->count)
DEFINE_AVERAGE(average_inclusive_bytes, alloc->inclusive_bytes + alloc->nested_bytes)
DEFINE_AVERAGE(average_inclusive_count, alloc->inclusive_count + alloc->nested_count)

#define DEFINE_PERCENTILE(name, histogram)                                                         \
	static uint64_t name(const void *row, double percent)                                      \
	{                                                                                          \
		const struct hp_function *function = row;                                          \
		return hp_alloc_percentile(&function->alloc, function->calls, histogram, percent); \
	}

DEFINE_PERCENTILE(percentile_bytes, HP_ALLOC_BYTES)
DEFINE_PERCENTILE(percentile_count, HP_ALLOC_BLOCKS)
DEFINE_PERCENTILE(percentile_inclusive_bytes, HP_ALLOC_INCLUSIVE_BYTES)
DEFINE_PERCENTILE(percentile_inclusive_count, HP_ALLOC_INCLUSIVE_BLOCKS)

/* ---- fields ---- */

/* One of the four tables: exclusive or inclusive, of bytes or of blocks. */
#define EXCLUSIVE(of) .table = HP_ALLOC_TABLE_##of, .depth = HP_EXCLUSIVE
#define INCLUSIVE(of) .table = HP_ALLOC_TABLE_##of, .depth = HP_INCLUSIVE

/* An average, a percentile and a share in such a table. */
#define AVERAGE(function, ...)                                                                     \
	COLUMN_AVERAGE, .number = (function), .is_known = has_average, .when = HP_ZERO_IF_UNKNOWN, \
			.varies = true, __VA_ARGS__
#define PERCENTILE(function, ...)                                                                  \
	COLUMN_PERCENTILE, .percentile = (function), .known = AT(calls), .varies = true, __VA_ARGS__
#define SHARE(member, total, ...)                                                                  \
	COLUMN_SHARE, .unit = HP_FIELD_PART, .at = AT(alloc.member), .whole = TOTAL(total),        \
		      __VA_ARGS__

/* Inclusive figures are neutral in comparisons: an increase is reported once, for the function that allocates. */
/* clang-format off */
const struct hp_field hp_alloc_fields[] = {
	FIELD_FUNCTION,
	{ "calls", COLUMN_CALLS, .unit = HP_FIELD_CALLS, .number = calls_of, .is_known = has_calls, .table = HP_ANY_TABLE,
	  .when = HP_ZERO_IF_UNKNOWN },
	{ "open", NULL, HP_FIELD_COUNT, AT(open), .is_level = true },
	FIELD_RATE(NULL),
	{ "bytes", COLUMN_TOTAL, .unit = HP_FIELD_BYTES, .at = AT(alloc.bytes), EXCLUSIVE(BYTES), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_bytes", "Bytes", .nth = 1, .rank = 1, .is_alloc = true, .per = AT(calls) } },
	{ "count", COLUMN_TOTAL, .unit = HP_FIELD_COUNT, .at = AT(alloc.count), EXCLUSIVE(COUNT), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_count", "Count", .nth = 0, .is_alloc = true, .per = AT(calls) } },
	{ "inclusive_bytes", COLUMN_TOTAL, .unit = HP_FIELD_BYTES, .at = AT(alloc.inclusive_bytes), INCLUSIVE(BYTES),
	  .merge = HP_MERGE_SUM,
	  .compare = { "alloc_bytes_inclusive", "Bytes inside", .nth = 3, .rank = 3, .is_alloc = true, .is_neutral = true,
		       .per = AT(calls) } },
	{ "inclusive_count", COLUMN_TOTAL, .unit = HP_FIELD_COUNT, .at = AT(alloc.inclusive_count), INCLUSIVE(COUNT),
	  .merge = HP_MERGE_SUM,
	  .compare = { "alloc_count_inclusive", "Count inside", .nth = 2, .rank = 2, .is_alloc = true, .is_neutral = true,
		       .per = AT(calls) } },
	{ "nested_bytes", NULL, HP_FIELD_BYTES, AT(alloc.nested_bytes), .merge = HP_MERGE_SUM },
	{ "nested_count", NULL, HP_FIELD_COUNT, AT(alloc.nested_count), .merge = HP_MERGE_SUM },
	{ "freed_bytes", NULL, HP_FIELD_BYTES, AT(alloc.freed_bytes), .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "freed_count", NULL, HP_FIELD_COUNT, AT(alloc.freed_count), .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "temporary_count", NULL, HP_FIELD_COUNT, AT(alloc.temporary_count), .merge = HP_MERGE_SUM,
	  .when = HP_KNOWN_WITH_LIVE },
	{ "avg_bytes", AVERAGE(average_bytes, .unit = HP_FIELD_BYTES, EXCLUSIVE(BYTES)) },
	{ "avg_bytes", AVERAGE(average_inclusive_bytes, .unit = HP_FIELD_BYTES, INCLUSIVE(BYTES)) },
	{ "avg_count", AVERAGE(average_count, .unit = HP_FIELD_COUNT, EXCLUSIVE(COUNT)) },
	{ "avg_count", AVERAGE(average_inclusive_count, .unit = HP_FIELD_COUNT, INCLUSIVE(COUNT)) },
	{ "", PERCENTILE(percentile_bytes, .unit = HP_FIELD_BYTES, EXCLUSIVE(BYTES)) },
	{ "", PERCENTILE(percentile_inclusive_bytes, .unit = HP_FIELD_BYTES, INCLUSIVE(BYTES)) },
	{ "", PERCENTILE(percentile_count, .unit = HP_FIELD_COUNT, EXCLUSIVE(COUNT)) },
	{ "", PERCENTILE(percentile_inclusive_count, .unit = HP_FIELD_COUNT, INCLUSIVE(COUNT)) },
	{ SHARE(bytes, bytes, EXCLUSIVE(BYTES)) },
	{ SHARE(inclusive_bytes, bytes, INCLUSIVE(BYTES)) },
	{ SHARE(count, blocks, EXCLUSIVE(COUNT)) },
	{ SHARE(inclusive_count, blocks, INCLUSIVE(COUNT)) },
	{ COLUMN_SELF, .unit = HP_FIELD_BYTES, .at = AT(alloc.bytes), .table = HP_ALLOC_TABLE_BYTES },
	{ COLUMN_SELF, .unit = HP_FIELD_COUNT, .at = AT(alloc.count), .table = HP_ALLOC_TABLE_COUNT },
	/* As a share of the function's own blocks. */
	{ COLUMN("Temporary", "temporary", 140, 8), .unit = HP_FIELD_PART, .at = AT(alloc.temporary_count),
	  .over = AT(alloc.count), .table = HP_ANY_TABLE, .when = HP_KNOWN_WITH_LIVE },
	FIELD_TREND,
	{ "histogram_bytes", NULL, HP_FIELD_POINTS, AT(alloc.calls[HP_ALLOC_BYTES]) },
	{ "histogram_count", NULL, HP_FIELD_POINTS, AT(alloc.calls[HP_ALLOC_BLOCKS]) },
	{ "histogram_inclusive_bytes", NULL, HP_FIELD_POINTS, AT(alloc.calls[HP_ALLOC_INCLUSIVE_BYTES]) },
	{ "histogram_inclusive_count", NULL, HP_FIELD_POINTS, AT(alloc.calls[HP_ALLOC_INCLUSIVE_BLOCKS]) },
	HP_FIELDS_NONE,
};
/* clang-format on */

const struct hp_kind hp_kind_alloc = {
	.key = "functions_alloc",
	.noun = "function",
	.header = "Function",
	.limit = "rows of the sections about allocations",
	.default_limit = HP_KIND_ROWS,
	.option = "alloc",
	.fields = hp_alloc_fields,
	.tables = { { .name = "alloc-bytes",
		      .aliases = "alloc,functions-alloc",
		      .sentence = "Bytes that functions and calls in them allocated.",
		      .exclusive = "Exclusive allocation bytes of functions.",
		      .order = 30,
		      .tab = "Functions",
		      .pane = "Memory",
		      .how = "Allocations are not recorded.\n\n"
			     "Start the program with 'hotpath run --alloc PROGRAM'." },
		    { .name = "alloc-count",
		      .aliases = "alloc,functions-alloc",
		      .sentence = "Allocations of functions and of calls in them.",
		      .exclusive = "Exclusive allocations of functions.",
		      .order = 40 } },
	.is_of_functions = true,
	.has_caller = true,
	.has_row = was_called_or_allocated,
	.hides_zeros = true,
	.total = "total",
};
