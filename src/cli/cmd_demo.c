/* SPDX-License-Identifier: MIT */
/* hotpath demo: the console on a program that is started for that. */
#include "command.h"
#include "console_open.h"
#include "demo_child.h"
#include "output.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Die by the signal that ended the console, but end the demo program first. */
static int show(struct input *input, pid_t pid)
{
	char target[16];
	int ended_by = 0;

	snprintf(target, sizeof(target), "%d", (int)pid);
	hp_report_options_init(&input->report);
	int status = console_open(input, target, &ended_by);
	demo_end();
	if (ended_by) {
		signal(ended_by, SIG_DFL);
		raise(ended_by);
	}
	return status;
}

static int demo(struct input *input)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return complain("demo: standard input and output must be a terminal");

	pid_t pid = demo_start();
	return pid < 0 ? STATUS_ERROR : show(input, pid);
}

const struct command command_demo = {
	.name = "demo",
	.arguments_max = 0,
	.help = "Show the console with a small demo program.",
	.details = "Start a small program that computes, waits and allocates, measured as by "
		   "'hotpath run --all', and open the console on it. The program ends "
		   "when the console is closed.",
	.run = demo,
};
