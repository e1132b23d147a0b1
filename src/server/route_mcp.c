/* SPDX-License-Identifier: MIT */
/*
 * POST /mcp: the questions of agents.
 *
 * A question about the next seconds is asked twice: the first time it is noted what is wanted, and the program is read; when the
 * time is over, it is read again and the question is answered. The loop of events goes on meanwhile.
 */
#include "mcp.h"
#include "request.h"
#include "route.h"
#include "server_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct question {
	struct hp_request *request;
	struct event *timer;
	/* The window that is wanted, 0 for none; of which program, NULL if none was named; and the reading at its beginning. */
	unsigned seconds;
	char *program;
	struct hp_mcp_reading before;
	bool is_over;
};

static void free_question(void *context)
{
	struct question *question = context;

	if (question->timer)
		libevent.event_free(question->timer);
	hp_mcp_reading_free(&question->before);
	free(question->program);
	free(question);
}

static const struct hp_mcp_host *host_of(const struct question *question)
{
	return question->request->server->mcp;
}

static int list(void *context, hp_mcp_visit *visit, void *to, struct hp_error *error)
{
	const struct hp_mcp_host *host = host_of(context);

	return host->list(host->context, visit, to, error);
}

static int refuse(int why, const char *reason, struct hp_error *error)
{
	snprintf(error->text, sizeof(error->text), "%s", reason);
	return why;
}

/* Of several windows in one request, only the first is waited for; others may be the same. */
static int begin_window(struct question *question, const char *program, unsigned seconds,
			struct hp_error *error)
{
	const struct hp_mcp_host *host = host_of(question);

	if (question->seconds)
		return -EAGAIN;
	if (!hp_request_has_room(question->request))
		return refuse(-EBUSY, "too many requests wait for a window; ask later", error);
	char *name = program ? strdup(program) : NULL;
	if (program && !name)
		return refuse(-ENOMEM, "out of memory", error);
	int failed = host->read(host->context, program, 0, &question->before, error);
	if (!failed && hp_mcp_goes_on(&question->before, error)) {
		question->seconds = seconds;
		question->program = name;
		return -EAGAIN;
	}
	if (!failed)
		hp_mcp_reading_free(&question->before);
	free(name);
	return failed ? failed : -EINVAL;
}

static bool is_begun(const struct question *question, const char *program, unsigned seconds)
{
	const char *begun = question->program;

	return question->seconds == seconds &&
	       (begun && program ? strcmp(begun, program) == 0 : begun == program);
}

static int read_program(void *context, const char *program, unsigned window,
			struct hp_mcp_reading *reading, struct hp_error *error)
{
	struct question *question = context;
	const struct hp_mcp_host *host = host_of(question);

	if (window && !question->is_over)
		return begin_window(question, program, window, error);
	if (window && !is_begun(question, program, window))
		return refuse(-EINVAL, "one window in a request; ask for this one alone", error);
	reading->since = window ? &question->before : NULL;
	int failed = host->read(host->context, program, 0, reading, error);
	return failed || !window ? failed : hp_mcp_window(reading, &question->before, error);
}

static int ask(struct question *question, struct hp_text *text)
{
	const struct hp_request *request = question->request;
	const struct hp_mcp_host host = { question, list, read_program };
	const struct hp_mcp_headers headers = {
		.version = hp_request_header(request, "MCP-Protocol-Version"),
		.method = hp_request_header(request, "Mcp-Method"),
		.name = hp_request_header(request, "Mcp-Name"),
	};
	size_t size = 0;
	const char *body = hp_request_body(request, &size);

	return hp_mcp_answer(&host, body ? body : "", size, &headers, text);
}

static void time_is_over(evutil_socket_t unused, short what, void *context)
{
	struct question *question = context;
	struct hp_text text = HP_TEXT_INIT;

	(void)unused;
	(void)what;
	question->is_over = true;
	int status = ask(question, &text);
	hp_request_answer(question->request, status, "application/json", &text);
	free_question(question);
}

static void wait_for_window(struct question *question)
{
	struct hp_request *request = question->request;

	question->timer = libevent.event_new(request->server->base, -1, 0, time_is_over, question);
	if (question->timer && hp_request_keep(request, free_question, question)) {
		hp_request_wait(request, question->timer, question->seconds);
		return;
	}
	if (!question->timer)
		hp_request_fail(request, 503, "out of memory");
	free_question(question);
}

static void answer(struct hp_request *request)
{
	struct question *question = calloc(1, sizeof(*question));
	struct hp_text text = HP_TEXT_INIT;

	if (!question) {
		hp_request_fail(request, 503, "out of memory");
		return;
	}
	question->request = request;
	int status = ask(question, &text);
	if (question->seconds) {
		hp_text_free(&text);
		wait_for_window(question);
		return;
	}
	hp_request_answer(request, status, "application/json", &text);
	free_question(question);
}

const struct hp_route hp_route_mcp = {
	.path = "/mcp",
	.help = "questions of agents, by the Model Context Protocol (POST)",
	.takes_post = true,
	.answer = answer,
};
