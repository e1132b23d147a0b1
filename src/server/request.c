/* SPDX-License-Identifier: MIT */
/* A request, as routes see it: what was asked, and how to answer. */
#include "request.h"

#include "json_writer.h"
#include "server_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Requests that may be kept at once; connections are left for others. */
	KEPT_MAX = 64,
	/* The clock that libevent reads stands still between two ticks of the kernel, which are this long at most. */
	TICK_US = 10000,
};

/* For all answers. A page may load what is ours, and nothing else; nobody may show it in a frame. */
static const struct hp_query_item headers[] = {
	{ "Cache-Control", "no-store" },
	{ "Content-Security-Policy",
	  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
	  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Referrer-Policy", "no-referrer" },
	{ "X-Content-Type-Options", "nosniff" },
};

static struct bufferevent *connection_of(const struct hp_request *request)
{
	return libevent.evhttp_connection_get_bufferevent(
		libevent.evhttp_request_get_connection(request->http));
}

struct hp_request *hp_request_new(struct hp_server *server, struct evhttp_request *http)
{
	struct hp_request *request = malloc(sizeof(*request));

	if (!request)
		return NULL;
	request->server = server;
	request->route = NULL;
	request->http = http;
	request->query.count = 0;
	request->closed = NULL;
	request->context = NULL;
	request->gone = NULL;
	return request;
}

/* ---- what was asked ---- */

const char *hp_request_value(const struct hp_request *request, const char *name)
{
	return hp_query_value(&request->query, name);
}

bool hp_request_number(struct hp_request *request, const char *name, unsigned least, unsigned most,
		       unsigned *number)
{
	const char *text = hp_request_value(request, name);
	size_t digits = text ? strspn(text, "0123456789") : 0;

	if (!text)
		return true;
	bool is_number = digits && digits < 10 && !text[digits];
	unsigned long value = is_number ? strtoul(text, NULL, 10) : 0;
	if (is_number && value >= least && value <= most) {
		*number = (unsigned)value;
		return true;
	}
	hp_request_fail(request, 400, "%s: '%.40s' is not a number from %u to %u", name, text,
			least, most);
	return false;
}

const char *hp_request_header(const struct hp_request *request, const char *name)
{
	return libevent.evhttp_find_header(libevent.evhttp_request_get_input_headers(request->http),
					   name);
}

bool hp_request_is_head(const struct hp_request *request)
{
	return libevent.evhttp_request_get_command(request->http) == EVHTTP_REQ_HEAD;
}

const char *hp_request_body(const struct hp_request *request, size_t *size)
{
	struct evbuffer *input = libevent.evhttp_request_get_input_buffer(request->http);

	*size = libevent.evbuffer_get_length(input);
	return (const char *)libevent.evbuffer_pullup(input, -1);
}

/* ---- the answer ---- */

void hp_request_add_header(struct hp_request *request, const char *name, const char *value)
{
	libevent.evhttp_add_header(libevent.evhttp_request_get_output_headers(request->http), name,
				   value);
}

static void add_headers(struct hp_request *request, const char *type)
{
	hp_request_add_header(request, "Content-Type", type);
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		hp_request_add_header(request, headers[i].name, headers[i].value);
}

static void let_go(struct hp_request *request)
{
	if (request->closed)
		request->server->kept--;
	if (request->gone)
		libevent.event_free(request->gone);
	free(request);
}

/* The connection reads the next request. */
static void answered(struct evhttp_request *http, void *context)
{
	struct hp_server *server = context;

	hp_connections_note(server->connections,
			    libevent.evhttp_connection_get_bufferevent(
				    libevent.evhttp_request_get_connection(http)),
			    HP_CONNECTION_READS);
}

/* Send an answer; the buffer may be NULL when memory ran out. */
static void finish(struct hp_request *request, int status, struct evbuffer *buffer)
{
	struct hp_server *server = request->server;
	struct evhttp_request *http = request->http;
	char length[24];

	snprintf(length, sizeof(length), "%zu", buffer ? libevent.evbuffer_get_length(buffer) : 0);
	hp_request_add_header(request, "Content-Length", length);
	hp_connections_note(server->connections, connection_of(request), HP_CONNECTION_ANSWERS);
	libevent.evhttp_connection_set_closecb(libevent.evhttp_request_get_connection(http), NULL,
					       NULL);
	libevent.evhttp_request_set_on_complete_cb(http, answered, server);
	bool is_head = hp_request_is_head(request);
	let_go(request);
	libevent.evhttp_send_reply(http, status, NULL, is_head ? NULL : buffer);
	if (buffer)
		libevent.evbuffer_free(buffer);
}

static void free_bytes(const void *bytes, size_t size, void *context)
{
	(void)size;
	(void)context;
	free((void *)bytes);
}

/* Move a text into a buffer, without a copy; NULL when memory ran out. Either way, the text is empty then. */
static struct evbuffer *take(struct hp_text *text)
{
	struct evbuffer *buffer = text->failed ? NULL : libevent.evbuffer_new();

	if (buffer && text->bytes &&
	    libevent.evbuffer_add_reference(buffer, text->bytes, text->length, free_bytes, NULL)) {
		libevent.evbuffer_free(buffer);
		buffer = NULL;
	}
	if (!buffer)
		free(text->bytes);
	*text = (struct hp_text)HP_TEXT_INIT;
	return buffer;
}

void hp_request_answer(struct hp_request *request, int status, const char *type,
		       struct hp_text *text)
{
	struct evbuffer *buffer = take(text);

	add_headers(request, type);
	finish(request, buffer ? status : 503, buffer);
}

void hp_request_answer_static(struct hp_request *request, const char *type, const char *bytes,
			      size_t size)
{
	struct evbuffer *buffer = libevent.evbuffer_new();

	if (buffer && libevent.evbuffer_add_reference(buffer, bytes, size, NULL, NULL)) {
		libevent.evbuffer_free(buffer);
		buffer = NULL;
	}
	add_headers(request, type);
	finish(request, buffer ? 200 : 503, buffer);
}

void hp_request_fail(struct hp_request *request, int status, const char *format, ...)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&text, false);
	char *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	hp_json_begin_object(&json);
	hp_json_member_string(&json, "error", line ? line : "out of memory");
	hp_json_end_object(&json);
	hp_text_putc(&text, '\n');
	free(line);
	hp_request_answer(request, status, "application/json", &text);
}

/* ---- later ---- */

/* libevent has either detached a request that is not answered yet, and leaves it to us, or frees it itself. */
static void connection_closed(struct evhttp_connection *connection, void *context)
{
	struct hp_request *request = context;
	void (*closed)(void *context) = request->closed;
	void *its_context = request->context;

	hp_connections_note(request->server->connections,
			    libevent.evhttp_connection_get_bufferevent(connection),
			    HP_CONNECTION_READS);
	if (!libevent.evhttp_request_get_connection(request->http))
		libevent.evhttp_send_reply_end(request->http);
	let_go(request);
	closed(its_context);
}

/* The callback of the connection does the rest. */
static void client_is_gone(evutil_socket_t unused, short what, void *context)
{
	const struct hp_request *request = context;

	(void)unused;
	(void)what;
	libevent.evhttp_connection_free(libevent.evhttp_request_get_connection(request->http));
}

/* After a whole request libevent does not read any more, and so it does not see that the client is gone. */
static void watch_client(struct hp_request *request)
{
	request->gone = libevent.event_new(request->server->base,
					   libevent.bufferevent_getfd(connection_of(request)),
					   EV_CLOSED, client_is_gone, request);
	if (request->gone)
		libevent.event_add(request->gone, NULL);
}

bool hp_request_has_room(const struct hp_request *request)
{
	return request->server->kept < KEPT_MAX;
}

bool hp_request_keep(struct hp_request *request, void (*closed)(void *context), void *context)
{
	struct hp_server *server = request->server;

	if (!hp_request_has_room(request)) {
		hp_request_fail(request, 503, "too many streams and waiting requests; close some");
		return false;
	}
	server->kept++;
	request->closed = closed;
	request->context = context;
	hp_connections_note(server->connections, connection_of(request), HP_CONNECTION_STAYS);
	libevent.evhttp_connection_set_closecb(
		libevent.evhttp_request_get_connection(request->http), connection_closed, request);
	watch_client(request);
	return true;
}

/* libevent counts from the moment when it last read its clock, which may be long before this. */
void hp_request_wait(struct hp_request *request, struct event *timer, unsigned seconds)
{
	struct timeval delay = { seconds, TICK_US };

	libevent.event_base_update_cache_time(request->server->base);
	libevent.event_add(timer, &delay);
}

void hp_request_begin_stream(struct hp_request *request, const char *type)
{
	add_headers(request, type);
	libevent.evhttp_send_reply_start(request->http, 200, NULL);
}

void hp_request_send(struct hp_request *request, struct hp_text *text)
{
	struct evbuffer *buffer = take(text);

	if (!buffer) {
		hp_request_cut(request);
		return;
	}
	libevent.evhttp_send_reply_chunk(request->http, buffer);
	libevent.evbuffer_free(buffer);
}

size_t hp_request_unsent(const struct hp_request *request)
{
	return libevent.evbuffer_get_length(
		libevent.bufferevent_get_output(connection_of(request)));
}

void hp_request_cut(struct hp_request *request)
{
	hp_connection_cut(connection_of(request));
}
