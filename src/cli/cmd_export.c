/* SPDX-License-Identifier: MIT */
/* hotpath export: where the CPU time goes, or what is waited for, as a file for the viewers that people use. */
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

/* What can be exported, by enum hp_profile_of: the value of --what, what is added to the name of the file, and what is
   missing if there is nothing. */
static const struct {
	const char *name;
	const char *suffix;
	const char *missing;
} subjects[] = {
	[HP_PROFILE_CPU] = { "cpu", "", "samples; take them with 'hotpath run --cpu PROGRAM'" },
	[HP_PROFILE_WAITS] = { "waits", "-waits",
			       "stacks of waits; record them with 'hotpath run --waits PROGRAM'" },
};

/* NULL is the CPU. Returns false when there is no such name. */
static bool find_subject(const char *name, enum hp_profile_of *of)
{
	for (*of = HP_PROFILE_CPU; *of <= HP_PROFILE_WAITS; ++*of)
		if (!name || strcmp(name, subjects[*of].name) == 0)
			return true;
	return false;
}

static int nothing(const struct hp_model *model, enum hp_profile_of of)
{
	complain("%s (pid %" PRIu32 ") has no %s", model->program ? model->program : "the program",
		 model->pid, subjects[of].missing);
	return STATUS_NOTHING;
}

struct wanted {
	enum hp_profile_of of;
	const struct hp_export_format *format;
};

/* A file name in the current folder, without characters that are special to shells or file systems. */
static void default_path(const struct hp_model *model, const struct wanted *wanted, char *path,
			 size_t size)
{
	const char *program = model->program ? hp_profile_base(model->program) : "program";

	snprintf(path, size, "hotpath-%.100s-%" PRIu32 "%s.%s", program, model->pid,
		 subjects[wanted->of].suffix, wanted->format->extension);
	for (; *path; path++)
		if (*path == '/' || (unsigned char)*path <= ' ')
			*path = '_';
}

static int write_file(const struct hp_model *model, const struct wanted *wanted, const char *path)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_export_write(model, wanted->of, wanted->format, &text);
	int status = output_write(&text, path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static int export_samples(const struct hp_model *model, const struct wanted *wanted,
			  const char *path)
{
	char usual[256];
	if (hp_profile_samples(model, wanted->of)->stack_count == 0)
		return nothing(model, wanted->of);
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
	struct wanted wanted = { .format = hp_export_find(name ? name : "flamegraph") };
	struct source source;
	if (!wanted.format)
		return unknown_format(name);
	if (!find_subject(what, &wanted.of))
		return complain("export: --what: '%s' is not cpu or waits", what);

	int status = source_open(&source, input->arguments[0]);
	if (status == STATUS_OK)
		status = export_samples(source.model, &wanted, input_option(input, "output-path"));
	source_free(&source);
	return status;
}

static const struct option options[] = {
	{ .name = "what",
	  .value = "WHAT",
	  .help = "cpu (the default), where CPU time goes; waits, what threads wait for, which "
		  "'hotpath run --waits' records" },
	{ .name = "format",
	  .value = "FORMAT",
	  .help = "flamegraph (the default), an image for any browser; firefox, for "
		  "https://profiler.firefox.com; pprof, for go tool pprof; speedscope, for "
		  "https://www.speedscope.app; folded, one line per stack" },
	{ .name = "output-path",
	  .value = "FILE",
	  .help = "write to FILE, '-' for standard output; the default is "
		  "hotpath-PROGRAM-PID.EXTENSION in the current folder, with -waits after PID for waits" },
	{ .name = NULL },
};

const struct command command_export = {
	.name = "export",
	.arguments = "[PID | SEGMENT | FILE]",
	.arguments_max = 1,
	.help = "Export where CPU time goes, or what is waited for: flame graph, pprof and others.",
	.details =
		"Export the stacks that 'hotpath run --cpu' sampled, or those of waits that "
		"'hotpath run --waits' recorded, with inlined functions and source lines, as a flame graph or for other viewers: of the process PID, of a "
		"segment file, or of a report saved to FILE. Without an argument, of the newest "
		"segment.",
	.options = options,
	.run = export_source,
};
