/* SPDX-License-Identifier: MIT */
/*
 * What is special about the section "cpu": where CPU time went.
 *
 * Code outside of measured functions has a row of its own, and so has the profiler, so that the rows add up to the
 * total. If no function was measured, the rows are the program's own functions, from the sampled stacks.
 */
#include "arithmetic.h"
#include "cpu/native.h"
#include "fields_json.h"
#include "format.h"
#include "function_json.h"
#include "function_table.h"
#include "nothing.h"
#include "section.h"
#include "stacks_json.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/* Below this percentage of complete stacks, the report says how to get more. */
#define WHOLE_ENOUGH 95

struct cpu_rows {
	/* A copy of the model whose functions are those of the rows. */
	struct hp_model model;
	/* The functions that were sampled, if none was measured: those of the watch, or made here. */
	const struct hp_native *native;
	struct hp_native made;
	struct hp_measure measure;
	struct hp_rows rows;
	/* How many rows are functions; the rows after them are time outside of functions. */
	size_t functions;
	struct hp_function rest;
	struct hp_function own;
};

static_assert((int)HP_NATIVE_RESTS <= (int)HP_ROWS_BEHIND, "there is room for the rest");

static struct hp_function in_none(char *name, uint64_t samples, const struct hp_trend *trend)
{
	return (struct hp_function){ .name = name,
				     .cpu = { .samples = samples, .inclusive_samples = samples },
				     .cpu_trend = trend,
				     .cpu_inclusive_trend = trend };
}

/* With --focus on a name, the rows outside of functions are left out. */
static void add_rest(struct cpu_rows *rows, const struct hp_report_options *options)
{
	const struct hp_cpu *cpu = &rows->model.cpu;
	static char outside[] = "<outside>", own[] = HP_CPU_OWN;

	rows->functions = rows->rows.count;
	rows->rest = in_none(outside, hp_cpu_outside(cpu), cpu->trends[HP_CPU_TREND_OUTSIDE]);
	rows->rest.cpu.system_samples = cpu->outside_system_samples;
	rows->own = in_none(own, cpu->own_samples, cpu->trends[HP_CPU_TREND_OWN]);
	if (options->focus[0])
		return;
	for (size_t i = 0; rows->native && i < rows->native->rest_count; i++)
		rows->rows.items[rows->rows.count++] =
			(struct hp_table_row){ .function = &rows->native->rests[i] };
	if (!rows->native)
		rows->rows.items[rows->rows.count++] =
			(struct hp_table_row){ .function = &rows->rest };
	if (!rows->native && cpu->own_samples)
		rows->rows.items[rows->rows.count++] =
			(struct hp_table_row){ .function = &rows->own };
}

static bool is_native(const struct hp_model *model)
{
	return !hp_model_has_calls(model) && !model->cpu.attributed_samples;
}

static bool take_native(struct cpu_rows *rows, const struct hp_cpu *cpu)
{
	rows->native = cpu->native;
	if (!rows->native) {
		rows->native = &rows->made;
		if (!hp_native_read(&rows->made, cpu))
			return false;
	}
	rows->model.functions = rows->native->functions;
	rows->model.function_count = rows->native->count;
	return true;
}

/* Returns false when memory ran out; either way, rows are to be freed. */
static bool select_rows(struct cpu_rows *rows, const struct hp_section *section,
			const struct hp_model *model, const struct hp_report_options *options)
{
	struct hp_rows selected;

	*rows = (struct cpu_rows){ .model = *model,
				   .measure = hp_section_measure(section, options) };
	if (is_native(model) && !take_native(rows, &model->cpu))
		return false;
	bool done = hp_rows_select(&selected, &rows->model, options, &rows->measure);
	rows->rows = selected;
	if (done)
		add_rest(rows, options);
	return done;
}

static void free_rows(struct cpu_rows *rows)
{
	hp_native_free(&rows->made);
	free(rows->rows.items);
}

/* The percentage of complete stacks, weighted by samples; false if there are none. */
static bool whole_percent(const struct hp_cpu *cpu, double *percent)
{
	uint64_t all = 0, whole = 0;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		all += cpu->stacks[i].samples;
		whole += cpu->stacks[i].whole ? cpu->stacks[i].samples : 0;
	}
	*percent = all ? (double)whole * 100 / (double)all : 0;
	return all > 0;
}

/* ---- the table ---- */

/* The processors that the program has used lately: 200 % are two. */
static void put_recent(const struct hp_cpu *cpu, struct hp_text *text)
{
	const struct hp_trend *trend = cpu->trends[HP_CPU_TREND_TOTAL];
	double ns = trend ? trend->recent * (double)cpu->period_ns : 0;

	if (trend && (trend->seen || trend->recent > 0))
		hp_text_printf(text, "%s of a processor in the last %d s, ",
			       hp_format_percent(ns / 1e7).text, HP_TREND_RECENT);
}

static void put_source(const struct hp_cpu *cpu, struct hp_text *text)
{
	uint64_t total_ns = cpu->total_samples * cpu->period_ns;
	double seconds = (double)total_ns / 1e9;
	double reached = seconds > 0 ? (double)cpu->looks / seconds : 0;

	hp_text_printf(text, "Total: %s of CPU time, ", hp_format_duration(total_ns).text);
	put_recent(cpu, text);
	if (cpu->source == HP_CPU_PERF)
		hp_text_printf(text, "by perf events: %" PRIu32 " samples a second.\n",
			       cpu->rate_hz);
	else if (reached >= (double)cpu->rate_hz * 0.9)
		hp_text_printf(text, "by CPU timers: %" PRIu32 " samples a second.\n",
			       cpu->rate_hz);
	else
		hp_text_printf(text,
			       "by CPU timers:\n%s samples a second instead of %" PRIu32
			       ", each for the time since the last.\n",
			       hp_format_count((uint64_t)(reached + 0.5)).text, cpu->rate_hz);
}

/* CPU time that no stack was seen of, in samples. */
static uint64_t samples_without_stack(const struct hp_cpu *cpu)
{
	uint64_t left = cpu->total_samples;

	for (size_t i = 0; i < cpu->stack_count; i++)
		left = hp_minus(left, cpu->stacks[i].samples);
	return left;
}

/* Rows of functions that are not measured have their time from stacks, and what is in none is in rows of its own. */
static void put_whole(const struct hp_model *model, struct hp_text *text)
{
	const struct hp_cpu *cpu = &model->cpu;
	uint64_t without = is_native(model) ? samples_without_stack(cpu) : 0;
	double percent;

	if (!whole_percent(cpu, &percent))
		return;
	hp_text_printf(text, "Whole stacks: %s%s", hp_format_percent(percent).text,
		       percent < WHOLE_ENOUGH ? "; compile with -fno-omit-frame-pointer for the "
						"rest"
					      : "");
	if (without)
		hp_text_printf(
			text, "; %s of the CPU time has no stack",
			hp_format_percent((double)without * 100 / (double)cpu->total_samples).text);
	hp_text_puts(text, ".\n");
}

static void put_end(enum hp_cpu_end end, struct hp_text *text)
{
	if (end == HP_CPU_SIGNAL_TAKEN)
		hp_text_puts(text,
			     "Sampling ended early: the program began to use the sampling signal "
			     "itself.\n");
	else if (end == HP_CPU_REFUSED)
		hp_text_puts(text,
			     "The kernel refused both perf events and CPU timers: nothing more was "
			     "sampled.\n");
	else if (end == HP_CPU_FILTERED)
		hp_text_puts(text, "Sampling ended early: the program has set a seccomp filter "
				   "that does not allow it.\n");
}

/* In the console, functions that call others are looked at more closely, even if they compute nothing themselves. */
static bool is_worth_a_row(const struct cpu_rows *rows, const struct hp_report_options *options,
			   const struct hp_function *function)
{
	if (hp_kind_number(hp_measure_total(&rows->measure), function))
		return true;
	return options->in_console &&
	       function->cpu.inclusive_samples > rows->model.cpu.total_samples / 100;
}

/*
 * Remove rows without CPU time of their own. Measured functions stay if they are in focus or in the console; of the
 * program's own functions, which are many, only some do.
 */
static void drop_silent(struct cpu_rows *rows, const struct hp_report_options *options)
{
	size_t functions = 0, kept = 0;

	if (!rows->native && (options->focus[0] || options->in_console))
		return;
	for (size_t i = 0; i < rows->rows.count; i++) {
		struct hp_table_row row = rows->rows.items[i];
		if (!is_worth_a_row(rows, options, row.function))
			continue;
		functions += i < rows->functions;
		rows->rows.items[kept++] = row;
	}
	rows->functions = functions;
	rows->rows.count = kept;
}

static void free_base(void *base)
{
	struct cpu_rows *rows = base;

	hp_native_free(&rows->made);
	free(rows);
}

static bool open_grid(const struct hp_section *section, struct hp_grid *grid,
		      const struct hp_model *model, const struct hp_report_options *options)
{
	struct cpu_rows *rows = malloc(sizeof(*rows));

	*grid = (struct hp_grid){ .kind = NULL, .base = rows, .free_base = free_base };
	if (!rows)
		return false;
	if (!select_rows(rows, section, model, options)) {
		free(rows->rows.items);
		return false;
	}
	drop_silent(rows, options);
	bool done = hp_rows_grid(grid, &rows->rows, &rows->model, options, &rows->measure);
	grid->tail = rows->rows.count - rows->functions;
	grid->base = rows;
	grid->free_base = free_base;
	return done;
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	(void)section, (void)options;
	put_end(model->cpu.end, text);
	put_source(&model->cpu, text);
	put_whole(model, text);
	if (is_native(model))
		hp_text_puts(text, "No function was measured: the rows are the functions "
				   "of the program, by symbol.\n");
	return true;
}

/* ---- JSON ---- */

static void put_row(struct hp_json *json, const struct cpu_rows *rows,
		    const struct hp_totals *totals, const struct hp_report_options *options,
		    const struct hp_function *function)
{
	bool is_measured = !rows->native && function != &rows->rest && function != &rows->own;

	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, function->name);
	hp_fields_json(json, hp_sample_fields, 0, totals, options, function);
	if (is_measured) {
		hp_fields_json(json, hp_sample_fields, HP_SAMPLES_OF_MEASURED, totals, options,
			       function);
		hp_json_key(json, "kind");
		hp_json_string(json, hp_kind_name(function->kind));
		hp_json_caller(json, function);
		hp_json_location(json, function);
	}
	hp_json_end_object(json);
}

static void put_totals(struct hp_json *json, const struct hp_cpu *cpu, bool inclusive)
{
	static const char *const sources[] = { NULL, "perf", "timer" };
	static const char *const ends[] = { NULL, "signal_taken", "refused", "elsewhere",
					    "filtered" };
	double percent;

	hp_json_member_u64(json, "total_samples", cpu->total_samples);
	hp_json_member_u64(json, "attributed_samples", cpu->attributed_samples);
	hp_json_member_u64(json, "own_samples", cpu->own_samples);
	hp_json_member_u64(json, "outside_system_samples", cpu->outside_system_samples);
	hp_json_member_u64(json, "unseen_samples", cpu->unseen_samples);
	hp_json_member_u64(json, "kernel_samples", cpu->kernel_samples);
	hp_json_member_u64(json, "loading_samples", cpu->loading_samples);
	hp_json_member_u64(json, "rate_hz", cpu->rate_hz);
	hp_json_key(json, "source");
	hp_json_string(json, sources[cpu->source]);
	hp_json_member_u64(json, "period_ns", cpu->period_ns);
	hp_json_member_u64(json, "looks", cpu->looks);
	hp_json_member_u64(json, "outside_alloc_ns", cpu->outside_alloc_ns);
	hp_json_key(json, "whole_percent");
	if (whole_percent(cpu, &percent))
		hp_json_double(json, percent);
	else
		hp_json_null(json);
	hp_json_key(json, "end");
	hp_json_string(json, ends[cpu->end]);
	hp_json_key(json, "inclusive");
	hp_json_bool(json, inclusive);
}

static void write_json(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_json *json)
{
	struct cpu_rows rows;

	if (!hp_cpu_was_asked_for(&model->cpu)) {
		hp_json_null(json);
		return;
	}
	if (!select_rows(&rows, section, model, options)) {
		free_rows(&rows);
		json->text->failed = true;
		hp_json_null(json);
		return;
	}
	struct hp_totals totals = hp_measure_totals(&rows.measure, &rows.model, options);
	size_t shown = hp_section_json_limit(section, options, rows.functions);
	hp_json_begin_object(json);
	put_totals(json, &model->cpu, options->cpu_inclusive);
	hp_json_member_u64(json, "total_count", rows.functions);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < rows.rows.count; i++)
		if (i < shown || i >= rows.functions)
			put_row(json, &rows, &totals, options, rows.rows.items[i].function);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free_rows(&rows);
}

static bool is_exclusive(const struct hp_report_options *options)
{
	return !options->cpu_inclusive;
}

bool hp_section_has_cpu(const struct hp_model *model)
{
	return hp_cpu_was_asked_for(&model->cpu) || model->missing.cpu;
}

/* If nobody asked for samples, a table is shown only if there are some. JSON says why there are none. */
static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	if (options->cpu_is_default && options->format == HP_FORMAT_TABLE)
		return hp_cpu_has_samples(&model->cpu);
	return hp_section_has_cpu(model);
}

const struct hp_section hp_section_special_cpu = {
	.kind = &hp_kind_cpu,
	.is_exclusive = is_exclusive,
	.is_automatic = is_automatic,
	.is_available = hp_section_has_cpu,
	.open_grid = open_grid,
	.write_notes = write_notes,
	.why_nothing = hp_nothing_sampled,
	.write_json = write_json,
	.write_members = hp_stacks_json,
};
