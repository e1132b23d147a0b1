/* SPDX-License-Identifier: MIT */
/* hotpath export: where the CPU time goes, as a file for the viewers that people use. */
#include "command.h"
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
	struct nearest nearest = { NULL, 0 };

	for (size_t i = 0; hp_export_formats[i]; i++)
		nearest_try(&nearest, name, hp_export_formats[i]->name);
	if (nearest.name)
		return complain("export: unknown format '%s'; did you mean '%s'?", name,
				nearest.name);
	return complain("export: unknown format '%s'; 'hotpath export --help' lists all formats",
			name);
}

static int no_samples(const struct hp_model *model)
{
	complain("%s (pid %" PRIu32 ") has no samples; take them with 'hotpath run --cpu PROGRAM'",
		 model->program ? model->program : "the program", model->pid);
	return STATUS_NOTHING;
}

/* A file name in the current folder, without characters that are special to shells or file systems. */
static void default_path(const struct hp_model *model, const struct hp_export_format *format,
			 char *path, size_t size)
{
	const char *program = model->program ? hp_profile_base(model->program) : "program";

	snprintf(path, size, "hotpath-%.100s-%" PRIu32 ".%s", program, model->pid,
		 format->extension);
	for (; *path; path++)
		if (*path == '/' || (unsigned char)*path <= ' ')
			*path = '_';
}

static int write_file(const struct hp_model *model, const struct hp_export_format *format,
		      const char *path)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_export_write(model, format, &text);
	int status = output_write(&text, path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static int export_samples(const struct hp_model *model, const struct hp_export_format *format,
			  const char *path)
{
	char usual[256];
	if (model->cpu.stack_count == 0)
		return no_samples(model);
	if (path && *path)
		return write_file(model, format, path);

	default_path(model, format, usual, sizeof(usual));
	int status = write_file(model, format, usual);
	if (status == STATUS_OK)
		complain("wrote %s", usual);
	return status;
}

static int export_source(struct input *input)
{
	const char *name = input_option(input, "format");
	const struct hp_export_format *format = hp_export_find(name ? name : "flamegraph");
	struct source source;
	if (!format)
		return unknown_format(name);

	int status = source_open(&source, input->arguments[0]);
	if (status == STATUS_OK)
		status = export_samples(source.model, format, input_option(input, "output-path"));
	source_free(&source);
	return status;
}

static const struct option options[] = {
	{ .name = "format",
	  .value = "FORMAT",
	  .help = "flamegraph (the default), an image for any browser; firefox, for "
		  "https://profiler.firefox.com; pprof, for go tool pprof; speedscope, for "
		  "https://www.speedscope.app; folded, one line per stack" },
	{ .name = "output-path",
	  .value = "FILE",
	  .help = "write to FILE, '-' for standard output; the default is "
		  "hotpath-PROGRAM-PID.EXTENSION in the current folder" },
	{ .name = NULL },
};

const struct command command_export = {
	.name = "export",
	.arguments = "[PID | SEGMENT | FILE]",
	.arguments_max = 1,
	.help = "Export where CPU time goes: flame graph, pprof, Firefox Profiler and others.",
	.details = "Export the stacks that 'hotpath run --cpu' sampled, with inlined functions and "
		   "source lines, as a flame graph or for other viewers: of the process PID, of a "
		   "segment file, or of a report saved to FILE. Without an argument, of the newest "
		   "segment.",
	.options = options,
	.run = export_source,
};
