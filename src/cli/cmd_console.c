/* SPDX-License-Identifier: MIT */
/* hotpath console: a program that runs, or a run of several processes, watched in the terminal. */
#include "command.h"
#include "console.h"
#include "console_open.h"
#include "output.h"
#include "refresh.h"
#include "run_again.h"
#include "source.h"

#include <signal.h>

/* Die by the signal that we caught, so that our parent sees it. */
static int die_by(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	return 128 + signal_number;
}

int console_open(const struct input *input, const char *target, int *ended_by)
{
	struct hp_console_options options = { .target = target,
					      .process = input_option(input, "process"),
					      .runs = &run_reader,
					      .report = input->report,
					      .save = output_replace };
	struct hp_error error = { "" };

	if (refresh_interval(input, &options.refresh_ms))
		return STATUS_ERROR;
	source_read_once();
	int ended = hp_console_run(&options, &error);
	*ended_by = ended > 0 ? ended : 0;
	return ended < 0 ? complain("%s", error.text) : STATUS_OK;
}

static int console(struct input *input)
{
	int ended_by = 0;
	int status = console_open(input, input->arguments[0], &ended_by);

	return ended_by ? die_by(ended_by) : status;
}

static void add_keys(struct hp_text *text)
{
	hp_text_puts(text, "\nkeys:\n");
	hp_console_keys(text);
}

static const struct option options[] = {
	PROCESS_OPTION,
	REFRESH_OPTION,
	{ .name = NULL },
};

const struct command command_console = {
	.name = "console",
	.arguments = "[PID | NAME | RUN | SEGMENT]",
	.arguments_max = 1,
	.help = "Watch a running program, live in the terminal.",
	.details =
		"Watch a running program: the process PID, the program NAME, a run by its name, or "
		"a segment file. A run of several processes is one thing, and so is the process "
		"that it began with. Without an argument, watch the newest run; if nothing runs, "
		"the first that is started.",
	.add_help = add_keys,
	.options = options,
	.shows_rows = true,
	.ignores_output_path = true,
	.run = console,
};
