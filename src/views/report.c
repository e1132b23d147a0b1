/* SPDX-License-Identifier: MIT */
/*
 * A report: the sections of a model, as a table or as JSON.
 *
 *	[hotpath] 209.92 ms | timing | profiler 24.60 µs (0.01%), 12.3 ns a call	header
 *
 *	timing - Execution duration of functions.				a section
 *	+------------+-------+-----------+ …
 *
 *	hotpath: 3 calls ended on another thread …				what was dropped,
 *	hotpath: no symbols for functions of libfoo.so: …			or is not known
 */
#include "report.h"

#include "advice.h"
#include "deadlocks.h"
#include "format.h"
#include "machine_json.h"
#include "section.h"
#include "stacks_json.h"
#include "table.h"

#include <hotpath/version.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Indexed by enum hp_counter: the key in JSON, and the line in the report. */
static const struct {
	const char *name;
	const char *sentence;
} counters[HP_COUNTERS] = {
#define COUNTER(name, sentence) { #name, sentence },
#include "counters.def"
#undef COUNTER
};

bool hp_report_shows_tree(const struct hp_report_options *options)
{
	return options->complete ||
	       hp_section_is_chosen(hp_section_find(hp_kind_tree.tables[0].name), options, NULL);
}

double hp_report_cost_percent(const struct hp_model *model)
{
	uint64_t time_ns = hp_threads_recorded_ns(&model->threads);

	/*
	 * If several threads compute at once, the cost is spread over all their CPU time, which is more than the
	 * elapsed time.
	 */
	if (time_ns < model->elapsed_ns)
		time_ns = model->elapsed_ns;
	if (time_ns < model->estimated_ns)
		return 100;
	return time_ns ? (double)model->estimated_ns * 100 / (double)time_ns : 0;
}

/* If nothing was measured, advice replaces the section that "auto" begins with. */
static bool is_shown(const struct hp_section *section, const struct hp_report_options *options,
		     const struct hp_model *model)
{
	return hp_section_is_chosen(section, options, model) &&
	       (section->kind != &hp_kind_timing || hp_section_is_named(section, options) ||
		!hp_model_is_empty(model));
}

static void put_sections(const struct hp_model *model, const struct hp_report_options *options,
			 struct hp_text *text)
{
	const char *before = " | ";

	for (size_t i = 0; hp_sections[i]; i++) {
		if (is_shown(hp_sections[i], options, model)) {
			hp_text_printf(text, "%s%s", before, hp_sections[i]->name);
			before = ", ";
		}
	}
}

static void put_overhead(const struct hp_model *model, struct hp_text *text)
{
	hp_text_printf(text, " | profiler %s (%s)", hp_format_duration(model->estimated_ns).text,
		       hp_format_percent(hp_report_cost_percent(model)).text);
	if (hp_model_has_calls(model))
		hp_text_printf(text, ", %s a call", hp_format_mean_duration(model->span_ns).text);
}

static void put_signal(int signal, struct hp_text *text)
{
	const char *name = NULL;

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
	name = sigabbrev_np(signal);
#endif
#endif
	if (name)
		hp_text_printf(text, " | killed by SIG%s", name);
	else
		hp_text_printf(text, " | killed by signal %d", signal);
}

static void put_exit(const struct hp_exit *end, struct hp_text *text)
{
	if (end->running)
		hp_text_puts(text, " | still running");
	else if (end->signal)
		put_signal(end->signal, text);
	else if (end->status > 0)
		hp_text_printf(text, " | exit status %d", end->status);
	else if (!end->clean && end->status < 0)
		hp_text_puts(text, " | ended without exit");
}

static void put_header(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_text *text)
{
	struct hp_text line = HP_TEXT_INIT;

	hp_text_printf(&line, "[hotpath] %s", hp_format_duration(model->elapsed_ns).text);
	put_sections(model, options, &line);
	if (hp_model_has_calls(model) || model->memory.mode != HP_ALLOC_NONE)
		put_overhead(model, &line);
	if (model->processes > 1)
		hp_text_printf(&line, " | %" PRIu32 " processes", model->processes);
	put_exit(&model->exit, &line);
	if (line.failed)
		text->failed = true;
	else
		hp_paint(text, line.bytes, HP_PAINT_BOLD, options->colour);
	hp_text_putc(text, '\n');
	hp_text_free(&line);
}

static void put_faults(const struct hp_model *model, struct hp_text *text)
{
	const char *before = "\n";

	for (size_t i = 0; i < HP_COUNTERS; i++) {
		if (!model->dropped[i])
			continue;
		hp_text_printf(text, "%shotpath: %" PRIu64 " %s\n", before, model->dropped[i],
			       counters[i].sentence);
		before = "";
	}
	for (size_t i = 0; i < model->note_count; i++) {
		hp_text_printf(text, "%shotpath: ", before);
		hp_text_put_printable(text, model->notes[i]);
		hp_text_putc(text, '\n');
		before = "";
	}
}

static void write_rows(const struct hp_section *section, const struct hp_grid *grid,
		       const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_text *text)
{
	size_t rows = grid->row_count - grid->tail;
	size_t shown = grid->is_limited ? rows : hp_section_limit(section, options, rows);

	hp_section_title(section, options, shown, rows + grid->left_out, text);
	if (section->write_notes && !section->write_notes(section, model, options, text))
		return;
	if (grid->row_count)
		hp_grid_write(grid, shown, options, text);
	else
		hp_section_no_match(section, options, text);
	if (section->write_below)
		section->write_below(grid, shown, options, text);
}

static void write_grid(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_grid grid;

	if (hp_section_open_grid(section, &grid, model, options))
		write_rows(section, &grid, model, options, text);
	else
		text->failed = true;
	hp_grid_close(&grid);
}

static bool write_why(const struct hp_section *section, const struct hp_model *model,
		      const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_text why = HP_TEXT_INIT;
	bool nothing = hp_section_is_nothing(section, model, &why);

	if (nothing) {
		hp_section_title(section, options, 0, 0, text);
		hp_text_printf(text, "%s\n", why.bytes ? why.bytes : "");
	}
	text->failed |= why.failed;
	hp_text_free(&why);
	return nothing;
}

static void write_section(const struct hp_section *section, const struct hp_model *model,
			  const struct hp_report_options *options, struct hp_text *text)
{
	if (write_why(section, model, options, text))
		return;
	if (hp_section_has_grid(section))
		write_grid(section, model, options, text);
	else
		section->write_table(section, model, options, text);
}

static bool has_nothing(const struct hp_model *model)
{
	return model->memory.mode == HP_ALLOC_NONE && !hp_cpu_has_samples(&model->cpu) &&
	       !hp_model_has_calls(model) && !model->entries.count && !model->blocked.count;
}

/* Whether the section "cpu" would say why sampling failed, if somebody had asked for samples. */
static bool is_failure_hidden(const struct hp_model *model, const struct hp_report_options *options)
{
	const struct hp_section *cpu = hp_section_find(hp_kind_cpu.tables[0].name);
	struct hp_report_options asked = *options;

	asked.cpu_is_default = false;
	return model->cpu.end != HP_CPU_GOES_ON && model->cpu.end != HP_CPU_ELSEWHERE &&
	       !is_shown(cpu, options, model) && is_shown(cpu, &asked, model);
}

/* A program that was too short for a sample is told so only if there is nothing else to show. */
static void write_unsampled(const struct hp_model *model, const struct hp_report_options *options,
			    bool has_sections, struct hp_text *text)
{
	if (has_sections ? is_failure_hidden(model, options) : has_nothing(model))
		hp_advice_write(model, text);
}

void hp_report_write_sections(const struct hp_model *model, const struct hp_report_options *options,
			      struct hp_text *text)
{
	bool any = false;

	hp_deadlocks_write(model, options->colour, text);
	for (size_t i = 0; hp_sections[i]; i++) {
		if (is_shown(hp_sections[i], options, model)) {
			hp_text_putc(text, '\n');
			write_section(hp_sections[i], model, options, text);
			/* A list of processes does not say where the time went. */
			any |= hp_sections[i]->kind != &hp_kind_processes;
		}
	}
	write_unsampled(model, options, any, text);
	put_faults(model, text);
}

static void write_table(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	put_header(model, options, text);
	hp_report_write_sections(model, options, text);
}

static void put_double(struct hp_json *json, const char *key, double value)
{
	hp_json_key(json, key);
	hp_json_double(json, value);
}

/* A number that may not be known. */
static void put_optional(struct hp_json *json, const char *key, int value, bool known)
{
	hp_json_key(json, key);
	if (known)
		hp_json_i64(json, value);
	else
		hp_json_null(json);
}

static void put_program(struct hp_json *json, const struct hp_model *model)
{
	struct hp_process_name process = hp_model_process(model);

	hp_json_member_string(json, "type", "hotpath_report");
	hp_json_member_u64(json, "schema", 1);
	hp_json_member_string(json, "version", HOTPATH_VERSION);
	hp_json_member_string(json, "program", model->program);
	hp_json_member_string(json, "arguments", model->arguments);
	if (hp_process_has_title(&process))
		hp_json_member_string(json, "title", process.title);
	hp_json_member_u64(json, "pid", model->pid);
	if (model->processes > 1)
		hp_json_member_u64(json, "processes", model->processes);
	if (model->image)
		hp_json_member_u64(json, "image", model->image);
	hp_json_member_string(json, "caller", model->caller);
	hp_json_member_u64(json, "start_unix_ns", model->start_unix_ns);
	hp_json_member_u64(json, "elapsed_ns", model->elapsed_ns);
	hp_json_member_u64(json, "own_elapsed_ns", model->own_elapsed_ns);
}

static void put_exit_object(struct hp_json *json, const struct hp_exit *end)
{
	hp_json_key(json, "exit");
	hp_json_begin_object(json);
	hp_json_member_bool(json, "clean", end->clean);
	put_optional(json, "status", end->status, end->status >= 0);
	put_optional(json, "signal", end->signal, end->signal != 0);
	hp_json_member_bool(json, "running", end->running);
	hp_json_end_object(json);
}

static void put_overhead_object(struct hp_json *json, const struct hp_model *model)
{
	hp_json_key(json, "overhead");
	hp_json_begin_object(json);
	put_double(json, "span_ns", model->span_ns);
	hp_json_member_u64(json, "estimated_ns", model->estimated_ns);
	put_double(json, "estimated_percent", hp_report_cost_percent(model));
	hp_json_end_object(json);
}

static void put_dropped_object(struct hp_json *json, const struct hp_model *model)
{
	hp_json_key(json, "dropped");
	hp_json_begin_object(json);
	for (size_t i = 0; i < HP_COUNTERS; i++)
		hp_json_member_u64(json, counters[i].name, model->dropped[i]);
	hp_json_end_object(json);
}

static void put_notes(struct hp_json *json, const struct hp_model *model)
{
	hp_json_key(json, "notes");
	hp_json_begin_array(json);
	for (size_t i = 0; i < model->note_count; i++)
		hp_json_string(json, model->notes[i]);
	hp_json_end_array(json);
}

static void put_unnamed(struct hp_json *json, const struct hp_unnamed_files *files)
{
	if (!files->count)
		return;
	hp_json_key(json, "unnamed_files");
	hp_json_begin_array(json);
	for (size_t i = 0; i < files->count; i++) {
		hp_json_begin_object(json);
		hp_json_member_string(json, "path", files->items[i].path);
		hp_json_member_string(json, "debug_package", files->items[i].package);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
}

static void put_why(struct hp_json *json, const struct hp_section *section,
		    const struct hp_model *model, bool *any)
{
	struct hp_text why = HP_TEXT_INIT;

	if (hp_section_is_nothing(section, model, &why) && why.length) {
		/* JSON has the sentence without its full stop. */
		why.bytes[why.length - 1] = '\0';
		if (!*any) {
			hp_json_key(json, "missing");
			hp_json_begin_object(json);
		}
		*any = true;
		hp_json_member_string(json, section->json_key, why.bytes);
	}
	json->text->failed |= why.failed;
	hp_text_free(&why);
}

/* Whether an earlier section has written the key. */
static bool is_written(size_t nth, const struct hp_report_options *options,
		       const struct hp_model *model)
{
	for (size_t i = 0; i < nth; i++)
		if (strcmp(hp_sections[i]->json_key, hp_sections[nth]->json_key) == 0 &&
		    hp_section_is_chosen(hp_sections[i], options, model))
			return true;
	return false;
}

/* Write why requested sections have no data, by their keys. */
static void put_missing(struct hp_json *json, const struct hp_model *model,
			const struct hp_report_options *options)
{
	bool any = false;

	for (size_t i = 0; hp_sections[i]; i++)
		if (hp_section_is_chosen(hp_sections[i], options, model) &&
		    !is_written(i, options, model))
			put_why(json, hp_sections[i], model, &any);
	if (any)
		hp_json_end_object(json);
}

static void put_section(struct hp_json *json, const struct hp_section *section,
			const struct hp_model *model, const struct hp_report_options *options)
{
	hp_json_key(json, section->json_key);
	hp_section_write_json(section, model, options, json);
	if (section->write_members && !(options->in_page && section->kind == &hp_kind_cpu))
		section->write_members(model, json);
}

static bool shows_waits(const struct hp_section *section)
{
	const struct hp_kind *kind = section->kind;

	return kind && kind->first_site >= HP_SITE_MUTEX && kind->last_site <= HP_SITE_TARGET;
}

static bool shows_allocations(const struct hp_section *section)
{
	return section->kind == &hp_kind_alloc || section->kind == &hp_kind_live;
}

/* Whether stacks are wanted: the report is to be complete, or a section is chosen that is about them. */
static bool wants_stacks(bool (*is_about)(const struct hp_section *section),
			 const struct hp_model *model, const struct hp_report_options *options)
{
	size_t i = 0;

	while (hp_sections[i] &&
	       !(is_about(hp_sections[i]) && hp_section_is_chosen(hp_sections[i], options, model)))
		i++;
	return hp_sections[i] || options->complete;
}

static void put_stacks(struct hp_json *json, const struct hp_model *model,
		       const struct hp_report_options *options)
{
	if (options->in_page)
		return;
	if (wants_stacks(shows_waits, model, options))
		hp_wait_stacks_json(model, json);
	if (wants_stacks(shows_allocations, model, options))
		hp_alloc_stacks_json(model, json);
}

/* A whole report of a run has those of its processes. */
static void put_processes(struct hp_json *json, const struct hp_model *model,
			  const struct hp_report_options *options)
{
	if (!options->complete || !model->member_count)
		return;
	hp_json_key(json, "members");
	hp_json_begin_array(json);
	for (size_t i = 0; i < model->member_count; i++) {
		hp_json_begin_object(json);
		hp_report_put_members(model->members[i], options, json);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
}

void hp_report_put_members(const struct hp_model *model, const struct hp_report_options *options,
			   struct hp_json *json)
{
	put_program(json, model);
	put_exit_object(json, &model->exit);
	put_overhead_object(json, model);
	put_dropped_object(json, model);
	put_notes(json, model);
	put_unnamed(json, &model->unnamed);
	put_missing(json, model, options);
	hp_json_machine(model, json);
	for (size_t i = 0; hp_sections[i]; i++)
		if (hp_section_is_chosen(hp_sections[i], options, model) &&
		    !is_written(i, options, model))
			put_section(json, hp_sections[i], model, options);
	put_stacks(json, model, options);
	put_processes(json, model, options);
}

static void write_json(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, options->format == HP_FORMAT_JSON_PRETTY);

	hp_json_begin_object(&json);
	hp_report_put_members(model, options, &json);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

static void write_nothing(const struct hp_model *model, const struct hp_report_options *options,
			  struct hp_text *text)
{
	(void)model, (void)options, (void)text;
}

/* A complete report ignores filters. */
static struct hp_report_options without_filters(const struct hp_report_options *options)
{
	struct hp_report_options all = *options;

	memset(all.limits, 0, sizeof(all.limits));
	all.focus[0] = '\0';
	all.exclude[0] = '\0';
	all.exclude_wrapper = false;
	strcpy(all.sections, "all");
	return all;
}

void hp_report_write(const struct hp_model *model, const struct hp_report_options *options,
		     struct hp_text *text)
{
	static void (*const writers[])(const struct hp_model *, const struct hp_report_options *,
				       struct hp_text *) = {
		[HP_FORMAT_TABLE] = write_table,      [HP_FORMAT_JSON] = write_json,
		[HP_FORMAT_JSON_PRETTY] = write_json, [HP_FORMAT_HTML] = write_nothing,
		[HP_FORMAT_NONE] = write_nothing,
	};

	if (options->complete) {
		struct hp_report_options all = without_filters(options);
		writers[options->format](model, &all, text);
	} else {
		writers[options->format](model, options, text);
	}
}
