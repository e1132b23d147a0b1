/* SPDX-License-Identifier: MIT */
/* hotpath arm and hotpath disarm: which functions of a program that runs are measured from now on. */
#include "ask.h"

#include "command.h"
#include "named_functions.h"
#include "output.h"
#include "reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A command, and what it asks for: some functions, or all. */
struct wanted {
	const char *command;
	enum hp_request_kind some;
	enum hp_request_kind all;
};

static const struct wanted arming = { "arm", HP_REQUEST_ARM, HP_REQUEST_ARM_ALL };
static const struct wanted disarming = { "disarm", HP_REQUEST_DISARM, HP_REQUEST_DISARM_ALL };

static int say_done(uint32_t pid, const struct hp_arm_request *request)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_text_printf(&text, "%" PRIu32 " of %" PRIu32 " %s of process %" PRIu32 " %s measured",
		       request->measured, request->functions,
		       request->functions == 1 ? "function" : "functions", pid,
		       request->measured == 1 ? "is" : "are");
	if (request->measured)
		hp_text_printf(&text, "; 'hotpath report %" PRIu32 "' shows %s%s", pid,
			       request->measured == 1 ? "it" : "them",
			       hp_ask_is_own(pid) ? "" : " to its user");
	hp_text_putc(&text, '\n');
	int status = output_write(&text, NULL, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static int nothing_found(const struct wanted *wanted, uint32_t pid, const char *pattern,
			 size_t named)
{
	if (named == 1)
		complain("%s: 1 function of process %" PRIu32
			 " matches '%s', but it has no sled ('hotpath cc')",
			 wanted->command, pid, pattern);
	else if (named)
		complain("%s: %zu functions of process %" PRIu32
			 " match '%s', but none of them has a sled ('hotpath cc')",
			 wanted->command, named, pid, pattern);
	else
		complain("%s: no function of process %" PRIu32 " matches '%s'", wanted->command,
			 pid, pattern);
	return STATUS_NOTHING;
}

static int ask(const struct wanted *wanted, uint32_t pid, struct hp_arm_request *request,
	       const struct named_functions *named)
{
	struct hp_attach_problem problem;

	request->address_count = (uint32_t)named->count;
	if (!hp_ask(pid, request, named->addresses, &problem))
		return complain("%s: %s", wanted->command, problem.text);
	return STATUS_OK;
}

static int ask_for_all(const struct wanted *wanted, uint32_t pid)
{
	struct hp_arm_request request = { .kind = wanted->all };
	int status = ask(wanted, pid, &request, &(struct named_functions){ .count = 0 });

	return status == STATUS_OK ? say_done(pid, &request) : status;
}

static int ask_for(const struct wanted *wanted, uint32_t pid, const char *pattern)
{
	struct hp_arm_request request = { .kind = wanted->some };
	struct named_functions named;
	int status;

	if (!named_functions_find(pid, pattern, &named) || named.count > HP_REQUEST_ADDRESSES_MAX)
		status = complain("%s: the functions of process %" PRIu32 " cannot be read",
				  wanted->command, pid);
	else if (!named.count)
		status = nothing_found(wanted, pid, pattern, 0);
	else
		status = ask(wanted, pid, &request, &named);
	if (status == STATUS_OK)
		status = request.found ? say_done(pid, &request)
				       : nothing_found(wanted, pid, pattern, named.count);
	free(named.addresses);
	return status;
}

static int run(const struct wanted *wanted, const struct input *input)
{
	const char *process = input->arguments[0], *pattern = input->arguments[1];

	if (!process)
		return complain("%s: no process given; see 'hotpath %s --help'", wanted->command,
				wanted->command);
	if (!hp_is_process_id(process))
		return complain("%s: '%s' is not a process id", wanted->command, process);
	uint32_t pid = (uint32_t)strtoul(process, NULL, 10);
	return pattern ? ask_for(wanted, pid, pattern) : ask_for_all(wanted, pid);
}

static int arm(struct input *input)
{
	return run(&arming, input);
}

static int disarm(struct input *input)
{
	return run(&disarming, input);
}

const struct command command_arm = {
	.name = "arm",
	.arguments = "PID [PATTERN]",
	.arguments_max = 2,
	.help = "Begin to measure functions of a program that already runs.",
	.details = "Begin to measure the functions of a program that already runs, all of them or "
		   "those whose names match PATTERN, as in 'parse_*', besides those that are "
		   "measured. The program was compiled by 'hotpath cc', and has libhotpath.",
	.run = arm,
};

const struct command command_disarm = {
	.name = "disarm",
	.arguments = "PID [PATTERN]",
	.arguments_max = 2,
	.help = "Stop measuring functions of a program that runs.",
	.details =
		"Stop measuring the functions of a program that runs, all of them or those whose "
		"names match PATTERN. What was measured until then can be reported.",
	.run = disarm,
};
