/* SPDX-License-Identifier: MIT */
/*
 * A request, as routes see it: what was asked, and how to answer.
 *
 * A route answers once, by hp_request_answer or hp_request_fail, and the request is gone then. Or it keeps the request, and
 * answers later or begins a stream. A kept request may be closed by the client at any moment.
 */
#ifndef HP_REQUEST_H
#define HP_REQUEST_H

#include "query.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>

struct event;
struct evhttp_request;
struct hp_server;
struct hp_route;

struct hp_request {
	struct hp_server *server;
	const struct hp_route *route;
	struct evhttp_request *http;
	struct hp_query query;
	/** Of a kept request: called when the client is gone; the request is, too. NULL if it is not kept. */
	void (*closed)(void *context);
	void *context;
	/** Happens when the client closes the connection of a kept request; may be NULL. */
	struct event *gone;
};

/** A value of the query; NULL when it is not there. */
const char *hp_request_value(const struct hp_request *request, const char *name);

/**
 * A number in the query.
 *
 * @param number
 *         Stays as it is if the query does not have it.
 * @return
 *         Whether it is not there, or from `least` to `most`; otherwise the request was answered.
 */
bool hp_request_number(struct hp_request *request, const char *name, unsigned least, unsigned most,
		       unsigned *number);

/** A header; NULL when it is not there. */
const char *hp_request_header(const struct hp_request *request, const char *name);

/** Whether only the headers of an answer are wanted. */
bool hp_request_is_head(const struct hp_request *request);

/** The body of a POST, which does not end with NUL; NULL if there is none. It is valid until the request is answered. */
const char *hp_request_body(const struct hp_request *request, size_t *size);

/** Add a header to the answer that follows. */
void hp_request_add_header(struct hp_request *request, const char *name, const char *value);

/**
 * Answer.
 *
 * @param text
 *         Taken over, and empty then. A text that is incomplete because memory ran out becomes an error.
 */
void hp_request_answer(struct hp_request *request, int status, const char *type,
		       struct hp_text *text);

/** Answer with bytes that stay where they are for ever, such as a file that was embedded. */
void hp_request_answer_static(struct hp_request *request, const char *type, const char *bytes,
			      size_t size);

/** Answer with {"error":"…"}, where the line is what the format gives. */
void hp_request_fail(struct hp_request *request, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Whether one more request can be kept. */
bool hp_request_has_room(const struct hp_request *request);

/**
 * Keep a request beyond the function that got it.
 *
 * @return
 *         False when there are too many of these; then the request was answered.
 */
bool hp_request_keep(struct hp_request *request, void (*closed)(void *context), void *context);

/** Let a timer of a kept request happen once, when so many seconds from now are over, and not before. */
void hp_request_wait(struct hp_request *request, struct event *timer, unsigned seconds);

/** Begin an answer that has no end of its own. The request must be kept. */
void hp_request_begin_stream(struct hp_request *request, const char *type);

/** Send a part of a stream; the text is taken over. One that is incomplete because memory ran out cuts the client off. */
void hp_request_send(struct hp_request *request, struct hp_text *text);

/** Bytes of a stream that the client has not taken yet. */
size_t hp_request_unsent(const struct hp_request *request);

/** Cut the client off: `closed` is called soon. */
void hp_request_cut(struct hp_request *request);

/* ---- for the server ---- */

/** Make a request; NULL when memory ran out. It is to be answered or kept. */
struct hp_request *hp_request_new(struct hp_server *server, struct evhttp_request *http);

#endif
