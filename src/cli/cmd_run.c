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
#include "run_model.h"
#include "run_report.h"
#include "unmatched.h"
#include "whole_report.h"

#include <signal.h>
#include <unistd.h>

static void write_report(struct input *input, const struct recording *recording,
			 const struct hp_model *run, struct hp_text *text)
{
	struct hp_report_options *options = &input->report;

	warn_unmatched(input, run);
	output_fit(options, options->output_path, STDERR_FILENO);
	run_report_write(run, options, input_option(input, "each"), text);
	hints_write(input, recording, run, text);
}

/* A run, and what was folded of it. */
struct running {
	struct measured measured;
	struct fold fold;
	const char *program;
};

static struct run_source source_of(struct running *running)
{
	return (struct run_source){ running->measured.run, &running->measured.list,
				    &running->measured, running->program, &running->fold };
}

static void fold(struct running *running)
{
	struct run_source source = source_of(running);

	measured_find(&running->measured);
	fold_segments(&running->fold, &source);
	measured_free(&running->measured);
}

static void fold_if_due(void *context)
{
	if (fold_is_due())
		fold(context);
}

static void report(struct input *input, struct running *running)
{
	struct run_source source = source_of(running);
	const char *save = input_option(input, "save"), *process = input_option(input, "process");
	struct hp_text text = HP_TEXT_INIT;
	struct hp_model *run = NULL;

	input->report.cpu_is_default = running->measured.asked.cpu_is_default;
	/* If nobody reads a report, segments are not read either. */
	if (save || input->report.format != HP_FORMAT_NONE)
		run = run_model(&source);
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

static int run_program(struct input *input)
{
	struct running running = { .program = input->arguments[0] };
	struct measured *measured = &running.measured;
	/* The first command that somebody tries shows something, whatever the program. */
	struct recording recording = { .cpu = true };
	if (input->argument_count == 0)
		return complain("run: no program given; see 'hotpath run --help'");
	if (recording_read(input, &recording) != STATUS_OK || run_report_check(input) != STATUS_OK)
		return STATUS_ERROR;

	measured->asked = recording;
	/* A report for each process needs all segments. */
	if (!input_option(input, "each"))
		measured->manner.every_second = fold_if_due;
	measured->manner.context = &running;
	if (preload_libraries(input->arguments[0], &recording))
		measured->alloc = recording.alloc;
	int error = measured_run(input->arguments, measured);
	if (error)
		return not_started(input->arguments[0], -error);

	/* The reader of our output may be gone; a report that cannot be written must not kill us. */
	signal(SIGPIPE, SIG_IGN);
	debuginfod_fetch();
	if (!input_option(input, "each") && fold_is_worth(measured->run))
		fold(&running);
	fold_save(&running.fold, measured->run);
	measured_find(measured);
	report(input, &running);
	measured_prune(measured);
	measured_free(measured);
	fold_clear(&running.fold);
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
