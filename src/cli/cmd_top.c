/* SPDX-License-Identifier: MIT */
/* hotpath top: what a running program measures, again and again, as plain lines. */
#include "command.h"
#include "now.h"
#include "output.h"
#include "refresh.h"
#include "top_block.h"
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* Between the two readings that the first block needs: calls per second are a difference. */
	FIRST_MS = 200,
	/* What ends a pause early. */
	PROGRAM = 0,
	READER,
	ENDINGS,
};

struct top {
	struct hp_watch *watch;
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

/* A segment that is still being created is not valid yet. */
static bool can_be_watched(const struct hp_found *found)
{
	return found->live && found->state != HP_STATE_NEW;
}

static int choose_newest(struct hp_watch *watch)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error error = { "" };
	size_t at = 0;

	if (hp_find_segments(&list, &error))
		return complain("%s", error.text);

	while (at < list.count && !can_be_watched(&list.items[at]))
		at++;
	int status = at < list.count ? STATUS_OK : none_runs();
	if (status == STATUS_OK && hp_watch_choose(watch, &list.items[at], &error))
		status = complain("%s", error.text);
	hp_found_list_free(&list);
	return status;
}

static int open_watch(struct hp_watch **watch, const char *target)
{
	struct hp_error error = { "" };

	if (hp_watch_open(watch, target, &error))
		return complain("%s", error.text);
	hp_watch_set_quota(*watch, 0);
	return target ? STATUS_OK : choose_newest(*watch);
}

/* If reading fails, the last figures stay, and become stale; without any there is nothing to show. */
static int read_again(struct hp_watch *watch)
{
	struct hp_error error = { "" };

	if (hp_watch_read(watch, NULL, 0, &error) == 0 || hp_watch_model(watch))
		return STATUS_OK;
	return complain("%s", error.text);
}

static void notice_endings(struct top *top)
{
	pid_t pid = (pid_t)hp_watch_model(top->watch)->pid;

	top->endings[PROGRAM] = (struct pollfd){
		.fd = (int)syscall(SYS_pidfd_open, pid, 0),
		.events = POLLIN,
	};
	top->endings[READER] = (struct pollfd){ .fd = STDOUT_FILENO };
}

static uint64_t now_ms(void)
{
	return hp_now_ns() / 1000000;
}

static bool take_ending(struct pollfd *ending)
{
	if (ending->fd < 0 || !ending->revents)
		return false;
	ending->fd = -1;
	return true;
}

/* Sleep until that moment, or until one of the endings is signalled. */
static void pause_until(struct top *top, uint64_t moment)
{
	for (uint64_t now = now_ms(); now < moment; now = now_ms()) {
		bool ended = false;
		if (poll(top->endings, ENDINGS, (int)(moment - now)) <= 0)
			continue;
		for (int i = 0; i < ENDINGS; i++)
			ended |= take_ending(&top->endings[i]);
		if (ended)
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
	if (top_block_write(top->watch, top->options, &text, &error))
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
	bool ended = hp_watch_state(top->watch) == HP_WATCH_ENDED;
	int status = STATUS_OK;

	while (status == STATUS_OK) {
		if (!ended) {
			pause_until(top, next);
			status = read_again(top->watch);
		}
		if (status == STATUS_OK)
			status = print_block(top);
		ended = hp_watch_state(top->watch) == HP_WATCH_ENDED;
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
	output_fit(state.options, state.options->output_path, STDOUT_FILENO);
	state.options->colour = false;
	int status = open_watch(&state.watch, input->arguments[0]);
	if (status == STATUS_OK)
		status = read_again(state.watch);
	if (status == STATUS_OK) {
		notice_endings(&state);
		status = go_on(&state, interval_ms, input_option(input, "once"));
	}
	hp_watch_free(state.watch);
	return status;
}

static const struct option options[] = {
	{ .name = "once", .help = "print once and exit" },
	{ .name = "json-lines", .help = "print one JSON object per line, as --format json does" },
	REFRESH_OPTION,
	{ .name = NULL },
};

const struct command command_top = {
	.name = "top",
	.arguments = "[PID | NAME | SEGMENT]",
	.arguments_max = 1,
	.help = "Print the figures of a running program repeatedly, as plain text.",
	.details = "Print what a running program measures, repeatedly, as plain lines for scripts "
		   "and logs, until it ends: of the process PID, of the newest program called "
		   "NAME, or of a segment file. Without an argument, of the newest program that "
		   "is running.",
	.options = options,
	.reports = true,
	.ignores_output_path = true,
	.run = top,
};
