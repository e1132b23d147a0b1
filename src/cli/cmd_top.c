/* SPDX-License-Identifier: MIT */
/* hotpath top: what a running program measures, again and again, as plain lines. */
#include "command.h"
#include "now.h"
#include "output.h"
#include "refresh.h"
#include "run_again.h"
#include "source.h"
#include "top_block.h"
#include "watched.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Between the two readings that the first block needs: calls per second are a difference. */
	FIRST_MS = 200,
	/* Until the end of a process is seen in what is read of its run. */
	AFTER_MS = 300,
	/* What ends a pause early. */
	PROGRAM = 0,
	READER,
	ENDINGS,
};

struct top {
	struct hp_watched *watched;
	struct hp_report_options *options;
	/* Wake us up early: the program has ended, or the reader of our output is gone. Each is reported once. */
	struct pollfd endings[ENDINGS];
	unsigned long blocks;
};

static int none_runs(void)
{
	complain("no measured program is running; start one with 'hotpath run PROGRAM'");
	return STATUS_NOTHING;
}

static int choose_newest(struct hp_watched *watched)
{
	struct hp_error error = { "" };
	int failed = hp_watched_newest(watched, &error);

	if (failed == -ENOENT)
		return none_runs();
	return failed ? complain("%s", error.text) : STATUS_OK;
}

static int open_watched(struct hp_watched **watched, const char *target)
{
	struct hp_error error = { "" };

	if (hp_watched_open(watched, target, &run_reader, &error))
		return complain("%s", error.text);
	hp_watched_set_quota(*watched, 0);
	return target ? STATUS_OK : choose_newest(*watched);
}

/* If reading fails, the last figures stay, and become stale; without any there is nothing to show. */
static int read_again(struct hp_watched *watched)
{
	struct hp_error error = { "" };

	if (hp_watched_read(watched, NULL, 0, &error) == 0 || hp_watched_model(watched))
		return STATUS_OK;
	return complain("%s", error.text);
}

/* The processes of the run that the user wants. */
static int choose_part(struct hp_watched *watched, const char *wanted)
{
	struct hp_error error = { "" };

	if (!wanted)
		return STATUS_OK;
	if (hp_watched_choose_part(watched, wanted, &error))
		return complain("%s", error.text);
	return read_again(watched);
}

/* The process whose end may be that of all: of a run, the first in the tree that runs. */
static pid_t last_process(const struct hp_model *model)
{
	for (size_t i = 0; i < model->tree.count; i++)
		if (model->tree.items[i].end == HP_PROCESS_RUNNING)
			return (pid_t)model->tree.items[i].pid;
	return (pid_t)model->pid;
}

static void notice_end(struct top *top)
{
	const struct hp_model *model = hp_watched_model(top->watched);
	pid_t pid = hp_watched_is_run(top->watched) ? last_process(model) : (pid_t)model->pid;

	top->endings[PROGRAM] = (struct pollfd){
		.fd = (int)syscall(SYS_pidfd_open, pid, 0),
		.events = POLLIN,
	};
}

static void notice_endings(struct top *top)
{
	notice_end(top);
	top->endings[READER] = (struct pollfd){ .fd = STDOUT_FILENO };
}

/* A process has ended. A run goes on if another one does, which shows some moments later: then it is the next to be noticed. */
static bool goes_on(struct top *top)
{
	if (!hp_watched_is_run(top->watched))
		return false;
	poll(&top->endings[READER], 1, AFTER_MS);
	if (read_again(top->watched) || hp_watched_state(top->watched) == HP_WATCH_ENDED)
		return false;
	notice_end(top);
	return true;
}

static uint64_t now_ms(void)
{
	return hp_now_ns() / 1000000;
}

static bool take_ending(struct top *top, int nth)
{
	struct pollfd *ending = &top->endings[nth];

	if (ending->fd < 0 || !ending->revents)
		return false;
	if (nth == PROGRAM)
		close(ending->fd);
	ending->fd = -1;
	return true;
}

/* Sleep until that moment, or until one of the endings is signalled. */
static void pause_until(struct top *top, uint64_t moment)
{
	for (uint64_t now = now_ms(); now < moment; now = now_ms()) {
		if (poll(top->endings, ENDINGS, (int)(moment - now)) <= 0)
			continue;
		if (take_ending(top, READER) || (take_ending(top, PROGRAM) && !goes_on(top)))
			return;
	}
}

static bool goes_to_file(const struct top *top)
{
	const char *path = top->options->output_path;

	return *path && strcmp(path, "-") != 0;
}

/* A file is replaced by each block; elsewhere a blank line is between them. */
static int print_block(struct top *top)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error error = { "" };
	int status;

	if (top->blocks++ && top->options->format == HP_FORMAT_TABLE && !goes_to_file(top))
		hp_text_putc(&text, '\n');
	if (top_block_write(top->watched, top->options, &text, &error))
		status = complain("%s", error.text);
	else
		status = output_write(&text, top->options->output_path, STDOUT_FILENO);
	hp_text_free(&text);
	return status;
}

/* The interval does not depend on how long a reading takes, unless it takes longer than the interval. */
static int go_on(struct top *top, unsigned interval_ms, bool once)
{
	uint64_t next = now_ms() + (interval_ms < FIRST_MS ? interval_ms : FIRST_MS);
	bool ended = hp_watched_state(top->watched) == HP_WATCH_ENDED;
	int status = STATUS_OK;

	while (status == STATUS_OK) {
		if (!ended) {
			pause_until(top, next);
			status = read_again(top->watched);
		}
		if (status == STATUS_OK)
			status = print_block(top);
		ended = hp_watched_state(top->watched) == HP_WATCH_ENDED;
		if (once || ended)
			break;
		uint64_t now = now_ms();
		next = next + interval_ms > now ? next + interval_ms : now;
	}
	return status;
}

static int top(struct input *input)
{
	struct top state = { .options = &input->report };
	unsigned interval_ms;

	if (refresh_interval(input, &interval_ms))
		return STATUS_ERROR;
	if (state.options->format == HP_FORMAT_HTML)
		return complain("top: html is for a whole report: 'hotpath report --format html'");
	if (input_option(input, "json-lines"))
		state.options->format = HP_FORMAT_JSON;
	source_read_once();
	output_fit(state.options, state.options->output_path, STDOUT_FILENO);
	state.options->colour = false;
	int status = open_watched(&state.watched, input->arguments[0]);
	if (status == STATUS_OK)
		status = read_again(state.watched);
	if (status == STATUS_OK)
		status = choose_part(state.watched, input_option(input, "process"));
	if (status == STATUS_OK) {
		notice_endings(&state);
		status = go_on(&state, interval_ms, input_option(input, "once"));
	}
	hp_watched_free(state.watched);
	return status;
}

static const struct option options[] = {
	{ .name = "once", .help = "print once and exit" },
	{ .name = "json-lines", .help = "print one JSON object per line, as --format json does" },
	PROCESS_OPTION,
	REFRESH_OPTION,
	{ .name = NULL },
};

const struct command command_top = {
	.name = "top",
	.arguments = "[PID | NAME | RUN | SEGMENT]",
	.arguments_max = 1,
	.help = "Print the figures of a running program repeatedly, as plain text.",
	.details =
		"Print what a running program measures, repeatedly, as plain lines for scripts "
		"and logs, until it ends: of the process PID, of the newest program called "
		"NAME, of a run by its name, or of a segment file. A run of several processes is "
		"one thing, and so is the process that it began with. Without an argument, of the "
		"newest run.",
	.options = options,
	.reports = true,
	.ignores_output_path = true,
	.run = top,
};
