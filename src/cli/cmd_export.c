/* SPDX-License-Identifier: MIT */
/* hotpath export: CPU time, allocations, waits or the call tree, as a file for the viewers that people use. */
#include "command.h"
#include "debuginfod.h"
#include "export.h"
#include "format.h"
#include "nearest.h"
#include "output.h"
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int unknown_format(const char *name)
{
	struct hp_nearest nearest = { NULL, 0 };

	for (size_t i = 0; hp_export_formats[i]; i++)
		hp_nearest_try(&nearest, name, hp_export_formats[i]->name);
	if (nearest.name)
		return complain("export: unknown format '%s'; did you mean '%s'?", name,
				nearest.name);
	return complain("export: unknown format '%s'; 'hotpath export --help' lists all formats",
			name);
}

/* Complain about a value of --what, with a list of those that there are. */
static int unknown_subject(const char *name)
{
	struct hp_text names = HP_TEXT_INIT;

	for (const struct hp_export_subject *it = hp_export_subjects; it->name; it++)
		hp_text_printf(&names, "%s%s",
			       it == hp_export_subjects ? ""
			       : it[1].name		? ", "
							: " or ",
			       it->name);
	complain("export: --what: '%s' is not %s", name, names.bytes ? names.bytes : "known");
	hp_text_free(&names);
	return STATUS_ERROR;
}

static int nothing(const struct hp_model *model, const char *missing)
{
	complain("%s (pid %" PRIu32 ") has no %s", model->program ? model->program : "the program",
		 model->pid, missing);
	return STATUS_NOTHING;
}

struct wanted {
	const struct hp_export_subject *subject;
	const struct hp_export_format *format;
};

/* A file name in the current folder, without characters that are special to shells or file systems. */
static void default_path(const struct hp_model *model, const struct wanted *wanted, char *path,
			 size_t size)
{
	const char *program = model->program ? hp_profile_base(model->program) : "program";

	snprintf(path, size, "hotpath-%.100s-%" PRIu32 "%s.%s", program, model->pid,
		 wanted->subject->suffix, wanted->format->extension);
	for (; *path; path++)
		if (*path == '/' || (unsigned char)*path <= ' ')
			*path = '_';
}

static int write_file(const struct hp_model *model, const struct wanted *wanted, const char *path)
{
	const struct hp_export_subject *subject = wanted->subject;
	struct hp_text text = HP_TEXT_INIT;
	int status;

	if (hp_export_write(model, subject, wanted->format, &text))
		status = output_write(&text, path, STDOUT_FILENO);
	else
		status = nothing(model, subject->zero ? subject->zero : subject->missing);
	hp_text_free(&text);
	return status;
}

static int export_model(const struct hp_model *model, const struct wanted *wanted, const char *path)
{
	char usual[256];
	if (!hp_export_subject_is_recorded(wanted->subject, model))
		return nothing(model, wanted->subject->missing);
	if (path && *path)
		return write_file(model, wanted, path);

	default_path(model, wanted, usual, sizeof(usual));
	int status = write_file(model, wanted, usual);
	if (status == STATUS_OK)
		complain("wrote %s", usual);
	return status;
}

static int export_source(struct input *input)
{
	const char *name = input_option(input, "format");
	const char *what = input_option(input, "what");
	struct wanted wanted = { .format = hp_export_find(name ? name : "flamegraph"),
				 .subject = hp_export_subjects };
	struct source source;
	if (!wanted.format)
		return unknown_format(name);
	if (what)
		wanted.subject = hp_export_subject_find(what);
	if (!wanted.subject)
		return unknown_subject(what);

	debuginfod_fetch();
	int status = source_open_all(&source, input->arguments, input_option(input, "process"));
	if (status == STATUS_OK)
		status = export_model(source.model, &wanted, input_option(input, "output-path"));
	source_free(&source);
	return status;
}

static const struct option options[] = {
	{ .name = "what",
	  .value = "WHAT",
	  .help = "what to export, of the list below; the default is cpu" },
	{ .name = "format",
	  .value = "FORMAT",
	  .help = "flamegraph (the default), an image for any browser; firefox, for "
		  "https://profiler.firefox.com; pprof, for go tool pprof; speedscope, for "
		  "https://www.speedscope.app; folded, one line per stack" },
	{ .name = "process",
	  .value = "PID|NAME|N",
	  .help = "export only the process PID, those of the program NAME, or the Nth that "
		  "'hotpath report' shows" },
	{ .name = "output-path",
	  .value = "FILE",
	  .help = "write to FILE, '-' for standard output; the default is "
		  "hotpath-PROGRAM-PID.EXTENSION in the current folder, with -WHAT after PID for all "
		  "but cpu" },
	{ .name = NULL },
};

static void add_subjects(struct hp_text *text)
{
	hp_text_puts(text, "\nwhat can be exported:\n");
	for (const struct hp_export_subject *it = hp_export_subjects; it->name; it++)
		hp_text_printf(text, "  %-8s%s\n", it->name, it->help);
}

const struct command command_export = {
	.name = "export",
	.arguments = "[PID | RUN | SEGMENT | FILE …]",
	.arguments_max = -1,
	.help = "Export CPU time, allocations, waits or the call tree: flame graph, pprof and others.",
	.details =
		"Export where CPU time goes, what was allocated, what threads waited for, or the time in "
		"measured functions, as a flame graph or for other viewers: stacks with inlined functions and "
		"source lines, of the process PID, of a run by its name, of a segment file, or of a report saved to FILE; several "
		"become one. Without an argument, of the newest run, with all its processes.",
	.options = options,
	.add_help = add_subjects,
	.run = export_source,
};
