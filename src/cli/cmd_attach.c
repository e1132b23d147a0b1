/* SPDX-License-Identifier: MIT */
/* hotpath attach: sample a program that already runs, and show its report. */
#include "ask.h"
#include "attach.h"

#include "command.h"
#include "debuginfod.h"
#include "fold.h"
#include "format.h"
#include "interrupt.h"
#include "now.h"
#include "output.h"
#include "place.h"
#include "run_report.h"
#include "runs_prune.h"
#include "source.h"
#include "unmatched.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	RATE_DEFAULT = 999,
	RATE_MAX = 10000,
	/* A year. */
	SECONDS_MAX = 366 * 24 * 3600,
	/* Interval of looking at a program that records itself. */
	PAUSE_MS = 100,
};

/* The user's request. */
struct request {
	uint32_t pid;
	int rate;
	/* 0 for no end. */
	int seconds;
	/* The process was asked to measure its functions, and may not change its code. */
	bool is_forbidden;
};

static int read_number(const struct input *input, const char *name, int most, int *number)
{
	const char *text = input_option(input, name);

	if (!text || (hp_parse_count(text, number) && *number >= 1 && *number <= most))
		return STATUS_OK;
	return complain("attach: --%s: '%s' is not a number from 1 to %d", name, text, most);
}

static int read_request(const struct input *input, struct request *request)
{
	const char *process = input->arguments[0];

	*request = (struct request){ .rate = RATE_DEFAULT };
	if (!process)
		return complain("attach: no process given; see 'hotpath attach --help'");
	if (!hp_is_process_id(process))
		return complain("attach: '%s' is not a process id", process);
	request->pid = (uint32_t)strtoul(process, NULL, 10);
	int status = read_number(input, "rate", RATE_MAX, &request->rate);
	return status ? status : read_number(input, "seconds", SECONDS_MAX, &request->seconds);
}

/* The moment at which we leave; 0 for none. */
static uint64_t end_of(const struct request *request)
{
	return request->seconds ? hp_now_ns() + (uint64_t)request->seconds * UINT64_C(1000000000)
				: 0;
}

static bool is_over(void)
{
	return interrupt_seen() != 0;
}

/* ---- the report ---- */

static int print_report(struct input *input, const struct source *source)
{
	struct hp_report_options *options = &input->report;
	struct hp_text text = HP_TEXT_INIT;

	warn_unmatched(input, source->model);
	output_fit(options, options->output_path, STDOUT_FILENO);
	run_report_prepare(source->model, options);
	run_report_write(source->model, options, false, &text);
	int status = output_write(&text, options->output_path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

static int report(struct input *input, const char *path, const struct hp_exit *exit)
{
	struct source source = { .model = NULL };
	struct hp_error error;
	int status = STATUS_OK;

	if (input->report.format == HP_FORMAT_NONE)
		return STATUS_OK;
	debuginfod_fetch();
	if (source_segment(&source, path, geteuid(), exit, &error))
		status = complain("%s", error.text);
	else
		status = print_report(input, &source);
	source_free(&source);
	return status;
}

/* ---- a program that records itself ---- */

/* The path of the segment that a process is writing itself, to be freed; NULL when there is none, or there may be nothing in it. */
static char *own_segment(uint32_t pid, bool may_be_empty)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	char *path = NULL;

	(void)hp_find_segments(&list, &ignored);
	for (size_t i = 0; i < list.count && !path; i++) {
		const struct hp_found *found = &list.items[i];
		if (found->pid == pid && found->live && found->state == HP_STATE_RUNNING &&
		    !found->is_attached && !found->is_elsewhere &&
		    (may_be_empty || !found->is_empty))
			path = strdup(found->path);
	}
	hp_found_list_free(&list);
	return path;
}

/* Wait until the time is over, somebody interrupts us, or the program ends. Returns whether it has ended. */
static bool wait_for(const struct request *request)
{
	struct pollfd ended = { .fd = (int)syscall(SYS_pidfd_open, (pid_t)request->pid, 0),
				.events = POLLIN };
	uint64_t until = end_of(request);

	while (!is_over() && (!until || hp_now_ns() < until))
		if (poll(&ended, 1, PAUSE_MS) > 0)
			break;
	if (ended.fd >= 0)
		close(ended.fd);
	return ended.revents != 0;
}

static int follow_own(struct input *input, const struct request *request, const char *path)
{
	complain("process %" PRIu32 " records itself; this is its own report, since it began",
		 request->pid);
	wait_for(request);
	return report(input, path, NULL);
}

/* ---- a program with sleds ---- */

/* Returns whether this has begun the recording, or ended it. */
static bool ask(struct request *request, enum hp_request_kind kind)
{
	struct hp_arm_request wanted = { .kind = kind, .rate = (uint32_t)request->rate };
	struct hp_attach_problem problem;

	if (hp_ask(request->pid, &wanted, NULL, &problem))
		return kind == HP_REQUEST_DISARM_ALL || wanted.began;
	request->is_forbidden = wanted.answer == HP_ANSWER_FORBIDDEN;
	complain("attach: %s", problem.text);
	return false;
}

/* The path of the segment that a program writes since its functions are armed, to be freed; NULL when they are not. */
static char *arm(struct request *request)
{
	if (hp_ask_signal(request->pid) <= 0 || !hp_ask_is_own(request->pid) ||
	    !ask(request, HP_REQUEST_ARM_ALL))
		return NULL;
	char *path = own_segment(request->pid, true);
	if (!path)
		ask(request, HP_REQUEST_DISARM_ALL);
	return path;
}

static int follow_armed(struct input *input, struct request *request, const char *path)
{
	if (!wait_for(request))
		ask(request, HP_REQUEST_DISARM_ALL);
	return report(input, path, NULL);
}

/* ---- attaching ---- */

static void say_end(const struct request *request, const struct hp_attach_end *end)
{
	if (end->why == HP_ATTACH_EXITED)
		complain("process %" PRIu32 " has ended; this is its report up to then",
			 request->pid);
	else if (end->why == HP_ATTACH_EXECUTED)
		complain("process %" PRIu32
			 " executes another program; this is its report up to then",
			 request->pid);
}

/* Segments of ended programs would fill the folder, which may be in memory. */
static void prune(void)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	size_t ended = 0, keep = fold_keep();

	(void)hp_find_segments(&list, &ignored);
	for (size_t i = 0; i < list.count; i++)
		if (!list.items[i].live && ended++ >= keep) {
			hp_found_remove(&list.items[i]);
			list.items[i].run[0] = '\0';
		}
	runs_prune(&list);
	hp_found_list_free(&list);
}

static int attach_to(struct input *input, const struct request *request)
{
	struct hp_attach_problem problem;
	char path[HP_PATH_MAX];
	struct hp_attachment *attachment = hp_attach(request->pid, (uint32_t)request->rate, "",
						     &problem);

	if (!attachment)
		return complain("attach: %s", problem.text);
	if (request->is_forbidden)
		hp_attach_unpatched(attachment);
	uint64_t left_out = hp_attach_left_out(attachment);
	if (left_out)
		complain("%" PRIu64 " threads are not sampled: the limit of open files is too low; "
			 "raise it with 'ulimit -n'",
			 left_out);
	struct hp_attach_end end = hp_attach_run(attachment, end_of(request), is_over);
	snprintf(path, sizeof(path), "%s", hp_attach_path(attachment));
	hp_attach_close(attachment);
	say_end(request, &end);
	/* The report says nothing of an unknown end. */
	struct hp_exit gone = { .clean = !end.signal, .status = end.status, .signal = end.signal };
	int status = report(input, path, end.why == HP_ATTACH_LEFT ? NULL : &gone);
	prune();
	return status;
}

static int attach(struct input *input)
{
	struct request request;
	if (read_request(input, &request) != STATUS_OK ||
	    output_check(input->report.output_path) != STATUS_OK)
		return STATUS_ERROR;

	/* One that can be asked, and has just begun to record, is left to who asked it. */
	char *own = own_segment(request.pid, hp_ask_signal(request.pid) > 0);
	interrupts_begin();
	char *armed = own ? NULL : arm(&request);
	int status = own     ? follow_own(input, &request, own)
		     : armed ? follow_armed(input, &request, armed)
			     : attach_to(input, &request);
	interrupts_end();
	free(armed);
	free(own);
	return status;
}

static const struct option options[] = {
	{ .name = "seconds",
	  .value = "N",
	  .help = "leave the program after N seconds; without it, when it ends or at Ctrl-C" },
	{ .name = "rate",
	  .value = "HZ",
	  .help = "samples per second of CPU time of each thread, 1 to 10000; 999 by default" },
	{ .name = NULL },
};

const struct command command_attach = {
	.name = "attach",
	.arguments = "PID",
	.arguments_max = 1,
	.help = "Sample a program that already runs, and show its report.",
	.details =
		"Sample the CPU time of a program that already runs, with the stacks and times of "
		"its threads, and show the report when N seconds are over, when it ends, or at "
		"Ctrl-C. The program is not changed and goes on. Meanwhile, and afterwards, "
		"'hotpath report', 'export', 'console' and 'top' can be used as for any other. A "
		"program that was compiled by 'hotpath cc' and has libhotpath measures its functions "
		"meanwhile. A program that records itself is not sampled again: its own report is "
		"shown.",
	.options = options,
	.reports = true,
	.ignores_output_path = true,
	.run = attach,
};
