/* SPDX-License-Identifier: MIT */
/* hotpath mcp: answers the questions of agents, a line for each on standard input and output. */
#include "command.h"
#include "interrupt.h"
#include "mcp_host.h"
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 65536 };

/* ---- signals ---- */

/* Signals that ask us to end come only while we wait: none is overlooked between a look for one and a wait. */
static sigset_t outside;

static void hold_signals(void)
{
	sigset_t inside;

	interrupts_begin();
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&inside);
	sigaddset(&inside, SIGINT);
	sigaddset(&inside, SIGTERM);
	sigaddset(&inside, SIGHUP);
	sigaddset(&inside, SIGQUIT);
	sigprocmask(SIG_BLOCK, &inside, &outside);
}

/* Wait for seconds. */
static bool wait_seconds(unsigned seconds)
{
	struct timespec time = { .tv_sec = seconds };

	ppoll(NULL, 0, &time, &outside);
	return !interrupt_seen();
}

/* Wait for input. Returns false if we are to end. */
static bool wait_readable(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!interrupt_seen())
		if (ppoll(&input, 1, NULL, &outside) > 0)
			return true;
	return false;
}

/* ---- lines ---- */

struct conversation {
	struct hp_mcp_host host;
	/** The line that has begun. */
	struct hp_text line;
	/** The line is too long: the rest of it is skipped. */
	bool is_skipped;
};

static bool is_blank(const struct hp_text *line)
{
	return !line->length || strspn(line->bytes, " \t\r") == line->length;
}

/* Answer a line. Returns false if nobody reads the answer. */
static bool answer(struct conversation *conversation)
{
	struct hp_text *line = &conversation->line;
	struct hp_text text = HP_TEXT_INIT;

	if (conversation->is_skipped || line->failed)
		hp_mcp_refuse("the line is longer than 1 MB", &text);
	else if (!is_blank(line))
		hp_mcp_answer(&conversation->host, line->bytes, line->length, NULL, &text);
	if (text.length)
		hp_text_putc(&text, '\n');
	bool goes_on = !text.length || output_write(&text, NULL, STDOUT_FILENO) == STATUS_OK;
	hp_text_free(&text);
	hp_text_free(line);
	conversation->is_skipped = false;
	return goes_on;
}

static void add_part(struct conversation *conversation, const char *bytes, size_t length)
{
	conversation->is_skipped |= conversation->line.length + length > HP_MCP_REQUEST_MAX;
	if (!conversation->is_skipped)
		hp_text_add(&conversation->line, bytes, length);
}

static bool take(struct conversation *conversation, const char *bytes, size_t length)
{
	const char *end;

	while (length && (end = memchr(bytes, '\n', length))) {
		size_t part = (size_t)(end - bytes);
		add_part(conversation, bytes, part);
		if (!answer(conversation))
			return false;
		bytes += part + 1;
		length -= part + 1;
	}
	add_part(conversation, bytes, length);
	return true;
}

/* The last line may have no end. */
static int converse(struct conversation *conversation)
{
	static char bytes[READ_BYTES];
	ssize_t length = 1;

	while (length > 0 && wait_readable()) {
		length = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (length < 0 && (errno == EAGAIN || errno == EINTR))
			length = 1;
		else if (length < 0)
			return complain("mcp: cannot read standard input: %s", strerror(errno));
		else if (length > 0 && !take(conversation, bytes, (size_t)length))
			return STATUS_OK;
	}
	if (length == 0)
		answer(conversation);
	return STATUS_OK;
}

static int mcp(struct input *input)
{
	struct mcp_programs programs = { .names = input->arguments, .wait = wait_seconds };

	programs.all = input_option(input, "all") || !input->argument_count;
	int status = mcp_programs_check(&programs);
	if (status != STATUS_OK)
		return status;
	struct conversation conversation = { .host = mcp_host(&programs) };
	hold_signals();
	status = converse(&conversation);
	hp_text_free(&conversation.line);
	return status;
}

static const struct option options[] = {
	{ .name = "all",
	  .help = "also answer about all other programs of this user, and saved reports; the default "
		  "if none is named" },
	{ .name = NULL },
};

const struct command command_mcp = {
	.name = "mcp",
	.arguments = "[PID | NAME | RUN | SEGMENT | FILE …]",
	.arguments_max = -1,
	.help = "Answer the questions of agents (Model Context Protocol).",
	.details =
		"Answer the questions of agents about running, ended and saved programs: a server "
		"of the Model Context Protocol on standard input and output, for the "
		"configuration of an agent. With arguments, only these may be asked about: the "
		"process PID, the newest program called NAME, a run by its name, a segment file, or a report saved "
		"to FILE. It ends with its input.",
	.options = options,
	.run = mcp,
};
