/* SPDX-License-Identifier: MIT */
/*
 * GET /api/stream: server-sent events with the report of a program, again and again.
 *
 *	event: programs          when the list of programs has changed, and at first
 *	event: report            at each interval, while the program runs; once more when it has ended; with the percentiles of
 *	                         the calls since the last one
 *	: a comment              when there was nothing else for a while
 *
 * A stream goes on with the next start of its program. A client that does not take an event gets no further one until it has,
 * and is cut off if it takes too long: so a stream never has more than two events waiting.
 */
#include "asked.h"
#include "json_writer.h"
#include "now.h"
#include "programs_json.h"
#include "recent_calls.h"
#include "report.h"
#include "route.h"
#include "server_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
/* For so long nothing is sent before a comment is, so that those in between see that the connection is used. */
#define QUIET_NS (15 * SECOND_NS)
/* For so long a client may take nothing of what was sent. */
#define STUCK_NS (10 * SECOND_NS)

enum {
	INTERVAL_MIN_MS = 100,
	INTERVAL_MAX_MS = 60000,
	INTERVAL_MS = 1000,
	/* For so many intervals the functions that a stream tells of are read in detail: until its next turn, and some. */
	WANTED_INTERVALS = 3,
};

struct stream {
	struct hp_request *request;
	struct event *timer;
	/* NULL for a stream about the list of programs alone. */
	char *id;
	struct hp_report_options options;
	struct hp_recent_calls recent;
	unsigned interval_ms;
	/* Events so far; and restarts of the program, of which each has a segment of its own. */
	uint64_t number;
	unsigned restarts;
	uint64_t segment_unix_ns;
	/* What was sent last: the version of the list, when the model was read, and the state. */
	uint64_t version;
	uint64_t read_ns;
	enum hp_program_state state;
	bool has_report;
	uint64_t sent_ns;
	/* Since when the client has something to take, and has taken nothing of it; 0 when it has not. And how much that is. */
	uint64_t unsent_since_ns;
	size_t unsent;
};

static void free_stream(void *context)
{
	struct stream *stream = context;

	if (stream->timer)
		libevent.event_free(stream->timer);
	hp_recent_calls_free(&stream->recent);
	free(stream->id);
	free(stream);
}

static void begin_event(struct stream *stream, const char *name, struct hp_text *text)
{
	hp_text_printf(text, "event: %s\nid: %" PRIu64 "\ndata: ", name, ++stream->number);
}

/* JSON without indentation is one line. */
static void end_event(struct stream *stream, struct hp_text *text)
{
	hp_text_puts(text, "\n\n");
	stream->sent_ns = hp_now_ns();
	hp_request_send(stream->request, text);
}

static void send_programs(struct stream *stream)
{
	struct hp_programs *programs = stream->request->server->programs;
	struct hp_text text = HP_TEXT_INIT;

	if (hp_programs_version(programs) == stream->version)
		return;
	hp_programs_read(programs);
	stream->version = hp_programs_version(programs);
	begin_event(stream, "programs", &text);
	hp_programs_put_json(programs, &text);
	end_event(stream, &text);
}

/* ---- the report ---- */

/* By the clock of the calendar. */
static uint64_t unix_ns(uint64_t monotonic_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec -
	       (hp_now_ns() - monotonic_ns);
}

static void put_report(struct stream *stream, const struct hp_program *program,
		       const struct hp_model *model, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, false);
	uint64_t seen_ns = program->read_ns ? program->read_ns : hp_now_ns();

	hp_json_begin_object(&json);
	hp_json_member_string(&json, "program", program->id);
	hp_json_member_string(&json, "state", hp_program_state_name(program->state));
	hp_json_member_u64(&json, "restarts", stream->restarts);
	hp_json_member_u64(&json, "seen_unix_ns", unix_ns(seen_ns));
	hp_json_key(&json, "recent");
	hp_recent_calls_put(&stream->recent, program, model, &stream->options, &json);
	hp_json_key(&json, "report");
	hp_json_begin_object(&json);
	hp_report_put_members(model, &stream->options, &json);
	hp_json_end_object(&json);
	hp_json_end_object(&json);
}

/* Whether there is something that was not sent yet. */
static bool has_changed(const struct stream *stream, const struct hp_program *program)
{
	return !stream->has_report || stream->state != program->state ||
	       stream->read_ns != program->read_ns;
}

static void send_report(struct stream *stream, struct hp_program *program)
{
	/* A stream whose turn comes shortly before that of another one takes what that has read. */
	uint64_t most_ns = stream->interval_ms * UINT64_C(750000);
	struct hp_text text = HP_TEXT_INIT;
	struct hp_error ignored;

	hp_recent_calls_want(&stream->recent, program,
			     UINT64_C(1000000) * WANTED_INTERVALS * stream->interval_ms);
	const struct hp_model *model = hp_program_live(stream->request->server->programs, program,
						       most_ns, &ignored);

	if (!model || !has_changed(stream, program))
		return;
	stream->has_report = true;
	stream->state = program->state;
	stream->read_ns = program->read_ns;
	begin_event(stream, "report", &text);
	put_report(stream, program, model, &text);
	end_event(stream, &text);
}

/* The next start of a program whose end was told; NULL when there is none. */
static struct hp_program *next_start(const struct stream *stream, const struct hp_program *program)
{
	bool is_told = stream->has_report && stream->state == HP_PROGRAM_ENDED &&
		       stream->segment_unix_ns == program->segment_unix_ns;

	return is_told ? hp_programs_next(stream->request->server->programs, program) : NULL;
}

/* The id stays if the process executes a program, or if another process gets its id. */
static void note_start(struct stream *stream, const struct hp_program *program)
{
	if (stream->segment_unix_ns != program->segment_unix_ns) {
		stream->restarts++;
		hp_recent_calls_restart(&stream->recent);
	}
	stream->segment_unix_ns = program->segment_unix_ns;
}

/* The program of a stream, or its next start; NULL when it was forgotten. */
static struct hp_program *follow(struct stream *stream)
{
	struct hp_programs *programs = stream->request->server->programs;
	struct hp_program *program = stream->id ? hp_programs_get(programs, stream->id) : NULL;
	struct hp_program *next = program ? next_start(stream, program) : NULL;
	char *id = next ? strdup(next->id) : NULL;

	if (id) {
		free(stream->id);
		stream->id = id;
		program = next;
	}
	if (program)
		note_start(stream, program);
	return program;
}

/* ---- time ---- */

/* Whether the client has taken all that was sent; one that takes nothing for long is cut off. */
static bool is_ready(struct stream *stream)
{
	size_t unsent = hp_request_unsent(stream->request);
	uint64_t now = hp_now_ns();

	if (unsent == 0) {
		stream->unsent_since_ns = 0;
		return true;
	}
	if (!stream->unsent_since_ns || unsent < stream->unsent)
		stream->unsent_since_ns = now;
	stream->unsent = unsent;
	if (now - stream->unsent_since_ns > STUCK_NS)
		hp_request_cut(stream->request);
	return false;
}

static void send_comment(struct stream *stream)
{
	struct hp_text text = HP_TEXT_INIT;

	if (hp_now_ns() - stream->sent_ns < QUIET_NS)
		return;
	hp_text_puts(&text, ": nothing new");
	end_event(stream, &text);
}

static void send_news(struct stream *stream)
{
	hp_programs_find_again(stream->request->server->programs);
	struct hp_program *program = follow(stream);
	if (program)
		send_report(stream, program);
	send_programs(stream);
	send_comment(stream);
}

static void tick(evutil_socket_t unused, short what, void *context)
{
	(void)unused;
	(void)what;
	if (is_ready(context))
		send_news(context);
}

static struct stream *new_stream(struct hp_request *request, const struct hp_program *program)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->request = request;
	stream->id = program ? strdup(program->id) : NULL;
	stream->segment_unix_ns = program ? program->segment_unix_ns : 0;
	stream->version = UINT64_MAX;
	stream->interval_ms = INTERVAL_MS;
	stream->timer = libevent.event_new(request->server->base, -1, EV_PERSIST, tick, stream);
	if (stream->timer && (stream->id || !program))
		return stream;
	free_stream(stream);
	return NULL;
}

static void start(struct stream *stream)
{
	struct timeval interval = { stream->interval_ms / 1000,
				    (suseconds_t)(stream->interval_ms % 1000) * 1000 };

	hp_request_begin_stream(stream->request, "text/event-stream");
	libevent.event_add(stream->timer, &interval);
	/* Headers are not sent yet, but the first events need not wait for that. */
	send_news(stream);
}

static void answer_head(struct hp_request *request)
{
	struct hp_text empty = HP_TEXT_INIT;

	hp_request_answer(request, 200, "text/event-stream", &empty);
}

static void answer(struct hp_request *request)
{
	bool has_program = hp_request_value(request, "program");
	struct hp_program *program = has_program ? hp_asked_program(request) : NULL;
	struct hp_report_options options;
	unsigned interval_ms = INTERVAL_MS;

	if ((has_program && !program) || !hp_asked_options(request, program, &options) ||
	    !hp_request_number(request, "interval", INTERVAL_MIN_MS, INTERVAL_MAX_MS, &interval_ms))
		return;
	if (hp_request_is_head(request)) {
		answer_head(request);
		return;
	}
	struct stream *stream = new_stream(request, program);
	if (!stream) {
		hp_request_fail(request, 503, "out of memory");
		return;
	}
	stream->options = options;
	stream->interval_ms = interval_ms;
	if (!hp_recent_calls_ask(&stream->recent, request)) {
		free_stream(stream);
		return;
	}
	if (hp_request_keep(request, free_stream, stream))
		start(stream);
	else
		free_stream(stream);
}

const struct hp_route hp_route_stream = {
	.path = "/api/stream",
	.help = "server-sent events: the list of programs when it changes, and with program=ID its "
		"report; section=NAME,NAME, limit=N, interval=MS, recent=FUNCTION",
	.answer = answer,
};
