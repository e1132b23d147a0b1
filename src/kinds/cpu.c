/* SPDX-License-Identifier: MIT */
/* CPU time: where it went, in samples. */
#include "file_name.h"
#include "function_columns.h"

#include <assert.h>
#include <inttypes.h>

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

/* Without its folder: the source of a measured function, or else the program or library that has the code. */
static void put_file(const void *row, struct hp_text *text)
{
	const struct hp_function *function = row;
	const char *path = function->file ? function->file : function->module;

	hp_text_puts(text, path ? hp_file_name(path) : "-");
	if (function->file)
		hp_text_printf(text, ":%" PRIu32, function->line);
}

static bool is_recent_known(const struct hp_trend *trend)
{
	return trend && (trend->seen || trend->recent > 0);
}

static bool knows_recent(const void *row)
{
	return is_recent_known(((const struct hp_function *)row)->cpu_trend);
}

static bool knows_inclusive_recent(const void *row)
{
	return is_recent_known(((const struct hp_function *)row)->cpu_inclusive_trend);
}

/* In thousandths of a sample a second, as the total. */
static uint64_t recent_of(const struct hp_trend *trend)
{
	return trend ? (uint64_t)(trend->recent * 1000) : 0;
}

static uint64_t recent_samples(const void *row)
{
	return recent_of(((const struct hp_function *)row)->cpu_trend);
}

static uint64_t recent_inclusive_samples(const void *row)
{
	return recent_of(((const struct hp_function *)row)->cpu_inclusive_trend);
}

#define COLUMN_SAMPLES COLUMN("Samples", "samples", 60, 3)
#define COLUMN_CPU COLUMN("CPU time", "cpu", 70, 2)
#define COLUMN_RECENT COLUMN("Last 5 s", "recent", 105, 1)
#define COLUMN_MINUTE COLUMN("Last minute", "trend", 150, 6)

static_assert(HP_TREND_RECENT == 5, "as the header says");

/* Inclusive time is not split into that of the program and that of the kernel. */
/* clang-format off */
const struct hp_field hp_sample_fields[] = {
	FIELD_FUNCTION,
	FIELD_RATE(NULL),
	{ "samples", COLUMN_SAMPLES, .unit = HP_FIELD_COUNT, .at = AT(cpu.samples), .depth = HP_EXCLUSIVE,
	  .merge = HP_MERGE_SUM,
	  .compare = { "cpu_self", "CPU self", HP_COMPARED_TIME, .nth = 0, .decides = true, .per = AT(calls) } },
	{ "inclusive_samples", COLUMN_SAMPLES, .unit = HP_FIELD_COUNT, .at = AT(cpu.inclusive_samples), .depth = HP_INCLUSIVE,
	  .merge = HP_MERGE_SUM,
	  .compare = { "cpu_total", "CPU total", HP_COMPARED_TIME, .nth = 1, .rank = 1, .per = AT(calls) } },
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
	{ COLUMN_RECENT, .unit = HP_FIELD_PART, .number = recent_samples, .whole = TOTAL(recent_samples),
	  .is_known = knows_recent, .depth = HP_EXCLUSIVE, .when = HP_SHOWN_WITH_RECENT },
	{ COLUMN_RECENT, .unit = HP_FIELD_PART, .number = recent_inclusive_samples, .whole = TOTAL(recent_samples),
	  .is_known = knows_inclusive_recent, .depth = HP_INCLUSIVE, .when = HP_SHOWN_WITH_RECENT },
	{ COLUMN("Inclusive", "inclusive", 107, 5), .unit = HP_FIELD_PART, .at = AT(cpu.inclusive_samples),
	  .whole = TOTAL(samples), .depth = HP_EXCLUSIVE, .when = HP_SHOWN_WITH_RECENT },
	{ COLUMN("Exclusive", "exclusive", 108, 5), .unit = HP_FIELD_PART, .at = AT(cpu.samples),
	  .whole = TOTAL(samples), .depth = HP_INCLUSIVE, .when = HP_SHOWN_WITH_RECENT },
	{ COLUMN_SELF, .unit = HP_FIELD_COUNT, .at = AT(cpu.samples) },
	{ COLUMN_MINUTE, .unit = HP_FIELD_MINUTE, .at = AT(cpu_trend), .depth = HP_EXCLUSIVE, .when = HP_SHOWN_WITH_RECENT },
	{ COLUMN_MINUTE, .unit = HP_FIELD_MINUTE, .at = AT(cpu_inclusive_trend), .depth = HP_INCLUSIVE,
	  .when = HP_SHOWN_WITH_RECENT },
	{ COLUMN("File", "file", 160, 7), .unit = HP_FIELD_TEXT, .put = put_file, .when = HP_SHOWN_WITH_RECENT },
	{ "queue_ns", NULL, HP_FIELD_TIME, AT(cpu.queue_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED },
	{ "alloc_ns", NULL, HP_FIELD_TIME, AT(cpu.alloc_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED,
	  .compare = { "cpu_alloc", "Allocating", HP_COMPARED_TIME, .nth = 2, .rank = 2, .per = AT(calls) } },
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
			     "Start the program with 'hotpath run PROGRAM'." } },
	.is_of_functions = true,
	.has_row = was_seen,
	.total = "samples",
};
