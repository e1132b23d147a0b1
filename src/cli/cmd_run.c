/* SPDX-License-Identifier: MIT */
/* hotpath run: run a program, and show what it has measured, whatever became of it. */
#include "command.h"
#include "measured.h"
#include "not_started.h"
#include "output.h"
#include "preload.h"
#include "report.h"
#include "unmatched.h"

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

enum {
	/* Bytes of arguments that are shown, to tell processes of one program apart in one line. */
	ARGUMENTS_SHOWN = 60,
};

static void write_models(const struct models *models, const struct hp_report_options *options,
			 struct hp_text *text)
{
	for (size_t i = 0; i < models->count; i++) {
		const struct hp_model *model = models->items[i];
		struct hp_process_name process = hp_model_process(model);
		if (models->count > 1 && options->format == HP_FORMAT_TABLE) {
			hp_text_printf(text, "%s== ", i ? "\n" : "");
			hp_process_put(text, &process, ARGUMENTS_SHOWN);
			hp_text_printf(text, " (pid %" PRIu32 ") ==\n", model->pid);
		}
		hp_report_write(model, options, text);
	}
}

static void write_report(struct input *input, const struct measured *measured, struct hp_text *text)
{
	struct hp_report_options *options = &input->report;
	struct models models;

	measured_models(measured, input->arguments[0], &models);
	if (input_option(input, "merge"))
		models_merge(&models);
	warn_unmatched(input, models.items, models.count);
	output_fit(options, options->output_path, STDERR_FILENO);
	write_models(&models, options, text);
	models_free(&models);
}

static void report(struct input *input, const struct measured *measured)
{
	struct hp_text text = HP_TEXT_INIT;

	/* If nobody reads a report, segments are not read either. */
	if (input->report.format != HP_FORMAT_NONE)
		write_report(input, measured, &text);
	/* An error was printed; the exit status is still that of the program. */
	(void)output_write(&text, input->report.output_path, STDERR_FILENO);
	hp_text_free(&text);
}

static int run_program(struct input *input)
{
	struct measured measured = { 0 };
	struct recording recording;
	if (input->argument_count == 0)
		return complain("run: no program given; see 'hotpath run --help'");
	if (recording_read(input, &recording) != STATUS_OK)
		return STATUS_ERROR;

	measured.asked = recording;
	if (preload_libraries(input->arguments[0], &recording))
		measured.alloc = recording.alloc;
	int error = measured_run(input->arguments, &measured);
	if (error)
		return not_started(input->arguments[0], -error);

	/* The reader of our output may be gone; a report that cannot be written must not kill us. */
	signal(SIGPIPE, SIG_IGN);
	measured_find(&measured);
	report(input, &measured);
	measured_prune(&measured);
	measured_free(&measured);
	return run_child_end(&measured.child);
}

static const struct option options[] = {
	RECORDING_OPTIONS,
	{ .name = "merge", .help = "print one report for all processes instead of one each" },
	{ .name = NULL },
};

const struct command command_run = {
	.name = "run",
	.arguments = "[--] PROGRAM [ARGUMENT …]",
	.arguments_max = -1,
	.help = "Run a program and show its report, even if it crashes.",
	.details = "Run a program and show on standard error what it and the processes it started "
		   "have measured, even if it crashed or was killed. Its input, output, signals "
		   "and exit status are passed through.",
	.options = options,
	.reports = true,
	.program_follows = true,
	.run = run_program,
};
