/* SPDX-License-Identifier: MIT */
/* hotpath run: run a program, and show what it has measured, whatever became of it. */
#include "command.h"
#include "debuginfod.h"
#include "fold.h"
#include "hints.h"
#include "measured.h"
#include "not_started.h"
#include "output.h"
#include "preload.h"
#include "process/register.h"
#include "register_child.h"
#include "run_model.h"
#include "run_outside.h"
#include "run_report.h"
#include "unmatched.h"
#include "whole_report.h"

#include <signal.h>
#include <unistd.h>

static void write_report(struct input *input, const struct recording *recording,
			 struct hp_model *run, struct hp_text *text)
{
	struct hp_report_options *options = &input->report;

	warn_unmatched(input, run);
	output_fit(options, options->output_path, STDERR_FILENO);
	run_report_prepare(run, options);
	run_report_write(run, options, input_option(input, "each"), text);
	hints_write(input, recording, run, text);
}

/* A run, and what was folded of it. */
struct running {
	struct measured measured;
	struct fold fold;
	const char *program;
	/* The process that samples the program from outside; -1 for none. */
	pid_t sampler;
};

static void started(void *context, pid_t program)
{
	struct running *running = context;

	if (running->measured.asked.is_outside)
		register_start(running->measured.run, running->program, program);
	running->sampler = outside_begin(program, &running->measured);
}

static void ended(void *context)
{
	outside_end(((struct running *)context)->sampler);
}

static struct run_source source_of(struct running *running)
{
	return (struct run_source){ running->measured.run, &running->measured.list,
				    &running->measured, running->program, &running->fold };
}

static void fold(struct running *running)
{
	struct run_source source = source_of(running);

	measured_find(&running->measured, false);
	fold_segments(&running->fold, &source);
	measured_free(&running->measured);
}

static void fold_if_due(void *context)
{
	struct running *running = context;
	struct segment_count count = fold_count(measured_since(&running->measured));

	if (fold_is_due(&count))
		fold(running);
}

/* Whether anybody reads a report; if not, segments are not read either. */
static bool is_read(const struct input *input)
{
	return input_option(input, "save") || input->report.format != HP_FORMAT_NONE;
}

static void report(struct input *input, struct running *running)
{
	struct run_source source = source_of(running);
	const char *save = input_option(input, "save"), *process = input_option(input, "process");
	struct hp_text text = HP_TEXT_INIT;
	struct hp_model *run = is_read(input) ? run_model(&source) : NULL;

	input->report.cpu_is_default = running->measured.asked.cpu_is_default;
	if (run && save)
		(void)whole_report_save(run, save);
	if (run && process)
		run = run_choose(run, process);
	if (run)
		write_report(input, &running->measured.asked, run, &text);
	hp_model_free(run);
	/* An error was printed; the exit status is still that of the program. */
	(void)output_write(&text, input->report.output_path, STDERR_FILENO);
	hp_text_free(&text);
}

/*
 * Segments are looked for if somebody reads a report, if there are too many of them, or if the run may have left some. Many
 * programs are too short for that, and to open all that others have left would take longer than the program.
 */
static bool has_left_nothing(const struct input *input, const struct running *running,
			     const struct segment_count *count)
{
	return !is_read(input) && !count->newer && !fold_leaves_many(count) &&
	       !running->fold.models.count && hp_register_remove_bare(running->measured.run);
}

static void finish(struct input *input, struct running *running)
{
	struct measured *measured = &running->measured;
	struct segment_count count = fold_count(measured_since(measured));

	if (!input_option(input, "each") && fold_is_worth(&count))
		fold(running);
	fold_save(&running->fold, measured->run);
	bool is_bare = has_left_nothing(input, running, &count);
	if (!is_bare)
		measured_find(measured, fold_leaves_many(&count));
	report(input, running);
	if (!is_bare)
		measured_prune(measured);
	measured_free(measured);
	fold_clear(&running->fold);
}

static int run_program(struct input *input)
{
	struct running running = { .program = input->arguments[0], .sampler = -1 };
	struct measured *measured = &running.measured;
	/* The first command that somebody tries shows something, whatever the program. */
	struct recording recording = { .cpu = true, .may_be_outside = true };
	if (input->argument_count == 0)
		return complain("run: no program given; see 'hotpath run --help'");
	if (recording_read(input, &recording) != STATUS_OK || run_report_check(input) != STATUS_OK)
		return STATUS_ERROR;

	/* A report for each process needs all segments. */
	if (!input_option(input, "each"))
		measured->manner.every_second = fold_if_due;
	measured->manner.started = started;
	measured->manner.ended = ended;
	measured->manner.context = &running;
	if (preload_libraries(input->arguments[0], &recording))
		measured->alloc = recording.alloc;
	measured->asked = recording;
	int error = measured_run(input->arguments, measured);
	if (error)
		return not_started(input->arguments[0], -error);

	/* The reader of our output may be gone; a report that cannot be written must not kill us. */
	signal(SIGPIPE, SIG_IGN);
	debuginfod_fetch();
	finish(input, &running);
	return run_child_end(&measured->child);
}

static const struct option options[] = {
	RECORDING_OPTIONS("; the default", ""),
	RUN_REPORT_OPTIONS,
	{ .name = "save",
	  .value = "FILE",
	  .help = "also write the whole report of all processes to FILE, to be shown later by "
		  "'hotpath report FILE'" },
	{ .name = NULL },
};

const struct command command_run = {
	.name = "run",
	.arguments = "[--] PROGRAM [ARGUMENT …]",
	.arguments_max = -1,
	.help = "Run a program and show its report, even if it crashes.",
	.details = "Run a program and show on standard error where its CPU time goes, and what it "
		   "and the processes it started have measured, even if it crashed or was killed. "
		   "Its input, output, signals and exit status are passed through.",
	.options = options,
	.reports = true,
	.program_follows = true,
	.run = run_program,
};
