/* SPDX-License-Identifier: MIT */
/* Allocations: what functions allocated, in bytes and in blocks. */
#include "function.h"

/* Inclusive figures are neutral: an increase is reported once, for the function that allocates. */
/* clang-format off */
#define AT(member) HP_AT(struct hp_alloc_figures, member)

const struct hp_field hp_alloc_fields[] = {
	{ "bytes", NULL, HP_FIELD_BYTES, AT(bytes), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_bytes", "Bytes", .nth = 1, .rank = 1, .is_alloc = true } },
	{ "count", NULL, HP_FIELD_COUNT, AT(count), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_count", "Count", .nth = 0, .is_alloc = true } },
	{ "inclusive_bytes", NULL, HP_FIELD_BYTES, AT(inclusive_bytes), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_bytes_inclusive", "Bytes inside", .nth = 3, .rank = 3, .is_alloc = true, .is_neutral = true } },
	{ "inclusive_count", NULL, HP_FIELD_COUNT, AT(inclusive_count), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_count_inclusive", "Count inside", .nth = 2, .rank = 2, .is_alloc = true, .is_neutral = true } },
	{ "nested_bytes", NULL, HP_FIELD_BYTES, AT(nested_bytes), .merge = HP_MERGE_SUM },
	{ "nested_count", NULL, HP_FIELD_COUNT, AT(nested_count), .merge = HP_MERGE_SUM },
	{ "freed_bytes", NULL, HP_FIELD_BYTES, AT(freed_bytes), .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "freed_count", NULL, HP_FIELD_COUNT, AT(freed_count), .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "temporary_count", NULL, HP_FIELD_COUNT, AT(temporary_count), .merge = HP_MERGE_SUM,
	  .when = HP_KNOWN_WITH_LIVE },
	{ "histogram_bytes", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_BYTES]) },
	{ "histogram_count", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_BLOCKS]) },
	{ "histogram_inclusive_bytes", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_INCLUSIVE_BYTES]) },
	{ "histogram_inclusive_count", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_INCLUSIVE_BLOCKS]) },
	HP_FIELDS_NONE,
};

#undef AT
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
};
