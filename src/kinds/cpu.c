/* SPDX-License-Identifier: MIT */
/* CPU time: where it went, in samples. */
#include "function_columns.h"

static bool was_seen(const void *row)
{
	const struct hp_cpu_figures *cpu = &((const struct hp_function *)row)->cpu;

	return cpu->samples || cpu->inclusive_samples || cpu->queue_ns || cpu->alloc_ns;
}

static uint64_t user_samples(const void *row)
{
	const struct hp_cpu_figures *cpu = &((const struct hp_function *)row)->cpu;

	return cpu->samples - cpu->system_samples;
}

#define COLUMN_SAMPLES COLUMN("Samples", "samples", 60, 3)
#define COLUMN_CPU COLUMN("CPU time", "cpu", 70, 2)

/* Inclusive time is not split into that of the program and that of the kernel. */
/* clang-format off */
const struct hp_field hp_sample_fields[] = {
	FIELD_FUNCTION,
	FIELD_RATE(NULL),
	{ "samples", COLUMN_SAMPLES, .unit = HP_FIELD_COUNT, .at = AT(cpu.samples), .depth = HP_EXCLUSIVE,
	  .merge = HP_MERGE_SUM, .compare = { "cpu_self", "CPU self", HP_COMPARED_TIME, .nth = 0, .decides = true } },
	{ "inclusive_samples", COLUMN_SAMPLES, .unit = HP_FIELD_COUNT, .at = AT(cpu.inclusive_samples), .depth = HP_INCLUSIVE,
	  .merge = HP_MERGE_SUM, .compare = { "cpu_total", "CPU total", HP_COMPARED_TIME, .nth = 1, .rank = 1 } },
	{ "system_samples", NULL, HP_FIELD_COUNT, AT(cpu.system_samples), .merge = HP_MERGE_SUM },
	{ "cpu_ns", COLUMN_CPU, .unit = HP_FIELD_SAMPLES, .at = AT(cpu.samples), .depth = HP_EXCLUSIVE, .varies = true },
	{ "cpu_ns", COLUMN_CPU, .unit = HP_FIELD_SAMPLES, .at = AT(cpu.inclusive_samples), .depth = HP_INCLUSIVE,
	  .varies = true },
	{ COLUMN("User", "user", 80, 4), .unit = HP_FIELD_SAMPLES, .number = user_samples, .depth = HP_EXCLUSIVE,
	  .when = HP_SHOWN_WITH_SYSTEM },
	{ COLUMN("System", "system", 90, 4), .unit = HP_FIELD_SAMPLES, .at = AT(cpu.system_samples), .depth = HP_EXCLUSIVE,
	  .when = HP_SHOWN_WITH_SYSTEM },
	{ "percent", COLUMN_SHARE, .unit = HP_FIELD_PART, .at = AT(cpu.samples), .whole = TOTAL(samples),
	  .depth = HP_EXCLUSIVE, .varies = true },
	{ "percent", COLUMN_SHARE, .unit = HP_FIELD_PART, .at = AT(cpu.inclusive_samples), .whole = TOTAL(samples),
	  .depth = HP_INCLUSIVE, .varies = true },
	{ COLUMN_SELF, .unit = HP_FIELD_COUNT, .at = AT(cpu.samples) },
	FIELD_TREND,
	{ "queue_ns", NULL, HP_FIELD_TIME, AT(cpu.queue_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED },
	{ "alloc_ns", NULL, HP_FIELD_TIME, AT(cpu.alloc_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED,
	  .compare = { "cpu_alloc", "Allocating", HP_COMPARED_TIME, .nth = 2, .rank = 2 } },
	HP_FIELDS_NONE,
};
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
	.has_row = was_seen,
	.total = "samples",
};
