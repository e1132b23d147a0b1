/* SPDX-License-Identifier: MIT */
/* CPU time: where it went, in samples. */
#include "function.h"

/* clang-format off */
#define AT(member) HP_AT(struct hp_cpu_figures, member)

const struct hp_field hp_sample_fields[] = {
	{ "samples", NULL, HP_FIELD_COUNT, AT(samples), .merge = HP_MERGE_SUM,
	  .compare = { "cpu_self", "CPU self", HP_COMPARED_TIME, .nth = 0, .decides = true } },
	{ "inclusive_samples", NULL, HP_FIELD_COUNT, AT(inclusive_samples), .merge = HP_MERGE_SUM,
	  .compare = { "cpu_total", "CPU total", HP_COMPARED_TIME, .nth = 1, .rank = 1 } },
	{ "system_samples", NULL, HP_FIELD_COUNT, AT(system_samples), .merge = HP_MERGE_SUM },
	{ "queue_ns", NULL, HP_FIELD_TIME, AT(queue_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED },
	{ "alloc_ns", NULL, HP_FIELD_TIME, AT(alloc_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED,
	  .compare = { "cpu_alloc", "Allocating", HP_COMPARED_TIME, .nth = 2, .rank = 2 } },
	HP_FIELDS_NONE,
};

#undef AT
/* clang-format on */

const struct hp_kind hp_kind_cpu = {
	.key = "functions_cpu",
	.noun = "function",
	.header = "Function",
	.limit = "rows of the sections about CPU time",
	.default_limit = HP_KIND_ROWS,
	.fields = hp_sample_fields,
	.tables = { { .name = "cpu",
		      .aliases = "functions-cpu",
		      .sentence = "CPU time of functions and of calls in them: rows overlap.",
		      .exclusive = "Exclusive CPU time of functions.",
		      .order = 110,
		      .tab = "Functions",
		      .pane = "CPU",
		      .how = "CPU time is not sampled.\n\n"
			     "Start the program with 'hotpath run --cpu PROGRAM'." } },
	.is_of_functions = true,
};
