/* SPDX-License-Identifier: MIT */
/* hotpath report: what a program has measured, whatever became of it. */
#include "calls.h"
#include "command.h"
#include "debuginfod.h"
#include "format.h"
#include "function_names.h"
#include "lines_table.h"
#include "output.h"
#include "relatives.h"
#include "run_report.h"
#include "source.h"
#include "unmatched.h"
#include "whole_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_report(const struct source *source, const struct hp_report_options *options,
			bool each)
{
	struct hp_text text = HP_TEXT_INIT;

	run_report_prepare(source->model, options);
	run_report_write(source->model, options, each, &text);
	int status = output_write(&text, options->output_path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static int print_report(const struct source *source, const struct input *input,
			struct hp_report_options *options)
{
	const struct hp_model *model = source->model;

	warn_unmatched(input, model);
	output_fit(options, options->output_path, STDOUT_FILENO);
	int status = write_report(source, options, input_option(input, "each"));
	if (status != STATUS_OK || !hp_model_is_empty(model))
		return status;
	complain("%s (pid %u) has measured nothing",
		 model->program ? model->program : "the program", model->pid);
	return STATUS_NOTHING;
}

static int save_report(const struct source *source, const char *path)
{
	if (source->saved.model && !source->saved.complete)
		return complain(
			"report: this report was not written by --save, so it is incomplete and "
			"cannot be saved again");
	return whole_report_save(source->model, path);
}

/* STATUS_NOTHING if there are no calls, or no such function; an error otherwise. */
static int no_calls(ssize_t count, const char *problem)
{
	complain("%s", problem);
	return count == 0 || count == -ENOENT ? STATUS_NOTHING : STATUS_ERROR;
}

static int print_calls(const struct source *source, const struct hp_report_options *options,
		       const char *name, bool is_flow, struct hp_text *text)
{
	struct hp_error error = { "" };
	struct hp_recent *calls = NULL;
	ssize_t count = hp_recent_calls(source->image.bytes, source->image.size, name, &calls,
					&error);
	if (is_flow && count == -ENOENT)
		snprintf(error.text, sizeof(error.text), "nothing has been logged for '%s' yet",
			 name);
	if (count == 0)
		snprintf(error.text, sizeof(error.text), "no call of '%s' has ended yet", name);
	if (count <= 0)
		return no_calls(count, error.text);
	calls_write(name, calls, (size_t)count, options->format, text);
	free(calls);
	return STATUS_OK;
}

/* Returns STATUS_NOTHING, without a message, if nothing was logged or the name may be a function. */
static int print_events(const struct source *source, const struct hp_report_options *options,
			const char *name, bool *is_flow, struct hp_text *text)
{
	struct hp_error error = { "" };
	struct hp_flow_event *events = NULL;
	enum hp_site_kind kind;
	ssize_t count = hp_flow_events(source->image.bytes, source->image.size, name, &kind,
				       &events, &error);
	*is_flow = count >= 0;
	if (count == 0 || count == -ENOENT)
		return STATUS_NOTHING;
	if (count < 0)
		return no_calls(count, error.text);
	events_write(name, kind, events, (size_t)count, options->format, text);
	free(events);
	return STATUS_OK;
}

/* Our own HOTPATH_LOGS_LIMIT wins over the program's. The image is a copy, so it can be changed. */
static void limit_logs(const struct hp_image *image)
{
	struct hp_header *header = (struct hp_header *)(void *)image->bytes;
	const char *text = getenv("HOTPATH_LOGS_LIMIT");
	int limit;

	if (!text || !*text || image->size < HP_HEADER_SIZE)
		return;
	if (hp_parse_count(text, &limit) && limit <= HP_RING)
		header->logs_limit = (uint32_t)limit;
	else
		complain("HOTPATH_LOGS_LIMIT: '%.40s' is not a number from 0 to %d; using the "
			 "limit of the program",
			 text, HP_RING);
}

static int print_latest(const struct source *source, const struct hp_report_options *options,
			const char *name)
{
	struct hp_text text = HP_TEXT_INIT;
	if (!source->image.bytes && !source->saved.model)
		return complain("report: --calls is about one process; name its PID");
	if (!source->image.bytes)
		return complain(
			"report: --calls needs a segment; a saved report does not contain single "
			"calls");

	limit_logs(&source->image);
	bool is_flow;
	int status = print_events(source, options, name, &is_flow, &text);
	if (status == STATUS_NOTHING)
		status = print_calls(source, options, name, is_flow, &text);
	if (status == STATUS_OK)
		status = output_write(&text, options->output_path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

/* Explain why nothing is shown of a function; "unseen" is what to say of one that is measured. */
static int explain_missing(const struct hp_model *model, const char *name, const char *unseen)
{
	const char *nearest = hp_function_nearest(model, name);

	if (hp_function_is_measured(model, name))
		complain(unseen, name);
	else if (nearest)
		complain("no function is named '%s'; did you mean '%s'?", name, nearest);
	else
		complain("no function is named '%s'", name);
	return STATUS_NOTHING;
}

static int add_neighbours(const struct hp_model *model, enum hp_direction direction,
			  const char *name, const struct hp_report_options *options,
			  struct hp_text *text)
{
	if (!name)
		return STATUS_OK;
	if (text->length && options->format == HP_FORMAT_TABLE)
		hp_text_putc(text, '\n');
	if (hp_relatives_write(model, direction, name, options, text) == 0)
		return STATUS_OK;
	if (model->has_tree || model->cpu.stack_count || model->allocations.stack_count)
		return explain_missing(model, name, "no call of '%s' is in the call tree");
	complain("no call tree was recorded (HOTPATH_TREE=0)");
	return STATUS_NOTHING;
}

/* Explain why there are no lines of a function, or of the whole program if the name is empty. */
static int explain_no_lines(const struct hp_model *model, const char *name)
{
	if (model->cpu.stack_count && *name)
		return explain_missing(model, name, "no sample was taken in '%s'");
	complain("no stack was sampled: without samples of the CPU time (hotpath run --cpu), no "
		 "lines are known");
	return STATUS_NOTHING;
}

/* Write the lines of a function, or of the whole program if the name is empty. */
static int add_lines(const struct hp_model *model, const char *name,
		     const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_sampled_lines lines;
	if (!name)
		return STATUS_OK;

	if (text->length && options->format == HP_FORMAT_TABLE)
		hp_text_putc(text, '\n');
	text->failed |= !hp_sampled_lines_read(&lines, &model->cpu, *name ? name : NULL, NULL);
	bool found = lines.count > 0;
	if (found)
		hp_lines_write(&lines, &model->cpu, *name ? name : NULL, options, text);
	hp_sampled_lines_free(&lines);
	return found || text->failed ? STATUS_OK : explain_no_lines(model, name);
}

static int print_neighbours(const struct hp_model *model, const struct input *input,
			    struct hp_report_options *options)
{
	struct hp_text text = HP_TEXT_INIT;

	output_fit(options, options->output_path, STDOUT_FILENO);
	int status = add_neighbours(model, HP_CALLERS, input_option(input, "callers"), options,
				    &text);
	if (status == STATUS_OK)
		status = add_neighbours(model, HP_CALLEES, input_option(input, "callees"), options,
					&text);
	if (status == STATUS_OK)
		status = add_lines(model, input_option(input, "lines"), options, &text);
	if (status == STATUS_OK)
		status = output_write(&text, options->output_path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static bool knows_percentile(const struct hp_saved *saved, double percent)
{
	if (percent <= 0 || percent >= 100)
		return true;
	for (unsigned i = 0; i < saved->known.count; i++)
		if (saved->known.items[i] == percent)
			return true;
	return false;
}

/* A report without histograms can only be shown with its own percentiles. */
static int choose_percentiles(const struct hp_saved *saved, const struct input *input,
			      struct hp_report_options *options)
{
	if (!saved->model || saved->complete)
		return STATUS_OK;
	options->alloc_cumulative = saved->alloc_cumulative;
	if (!input_option(input, "percentiles")) {
		options->percentile_count = saved->known.count;
		memcpy(options->percentiles, saved->known.items,
		       saved->known.count * sizeof(*saved->known.items));
		return STATUS_OK;
	}
	for (unsigned i = 0; i < options->percentile_count; i++)
		if (!knows_percentile(saved, options->percentiles[i]))
			return complain(
				"report: %s has no percentile %s; only a report written by --save "
				"has all of them",
				input->arguments[0],
				hp_format_decimal(options->percentiles[i]).text);
	return STATUS_OK;
}

/* A page shows a whole report: parts about one function, or a few calls, are refused. */
static int no_page(const struct input *input)
{
	static const char *const parts[] = { "calls", "callers", "callees", "lines" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (input->report.format == HP_FORMAT_HTML && input_option(input, parts[i]))
			return complain("report: --%s is no page; print table or json", parts[i]);
	return run_report_check(input);
}

static int show(const struct source *source, const struct input *input,
		struct hp_report_options *options)
{
	const char *save = input_option(input, "save");
	const char *calls = input_option(input, "calls");

	if (save)
		return save_report(source, save);
	if (calls)
		return print_latest(source, options, calls);
	if (input_option(input, "callers") || input_option(input, "callees") ||
	    input_option(input, "lines"))
		return print_neighbours(source->model, input, options);
	int status = choose_percentiles(&source->saved, input, options);
	return status ? status : print_report(source, input, options);
}

/* "--lines work" reads as if work were the program: an optional value needs the "=". */
static bool forgot_equals(const struct input *input)
{
	const char *lines = input_option(input, "lines");
	const char *argument = input->arguments[0];

	return lines && !*lines && argument && argument[strspn(argument, "0123456789")] &&
	       access(argument, F_OK) != 0;
}

static int report(struct input *input)
{
	struct source source;

	if (forgot_equals(input))
		return complain(
			"report: there is no file '%s'; a function is named as in --lines=%s",
			input->arguments[0], input->arguments[0]);
	if (no_page(input) != STATUS_OK)
		return STATUS_ERROR;
	debuginfod_fetch();
	int status = source_open_all(&source, input->arguments, input_option(input, "process"));
	if (status == STATUS_OK)
		status = show(&source, input, &input->report);
	source_free(&source);
	return status;
}

static const struct option options[] = {
	{ .name = "save",
	  .value = "FILE",
	  .help = "write the whole report to FILE, to be shown later by 'hotpath report FILE'; "
		  "print nothing" },
	{ .name = "calls",
	  .value = "NAME",
	  .help = "show the latest calls of the function NAME, or the log of the channel, stream, "
		  "future or value NAME" },
	{ .name = "callers", .value = "NAME", .help = "show the callers of the function NAME" },
	{ .name = "callees",
	  .value = "NAME",
	  .help = "show the functions that the function NAME "
		  "calls" },
	{ .name = "lines",
	  .value = "NAME",
	  .value_default = "",
	  .help = "show the source lines of the function NAME that samples were taken at, or the "
		  "hottest lines of the program" },
	RUN_REPORT_OPTIONS,
	{ .name = NULL },
};

const struct command command_report = {
	.name = "report",
	.arguments = "[PID | RUN | SEGMENT | FILE …]",
	.arguments_max = -1,
	.help = "Show the report of a running, ended or crashed program.",
	.details =
		"Show the report of a running, ended or crashed program: of the process PID, "
		"of a run by its name, of a segment file, or of a report saved to FILE; several become one. If "
		"'hotpath run' started the process PID, the report is of it and of all processes "
		"that it started. Without an argument, it is of the newest run.",
	.options = options,
	.reports = true,
	.ignores_output_path = true,
	.run = report,
};
