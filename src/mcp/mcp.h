/* SPDX-License-Identifier: MIT */
/*
 * The Model Context Protocol: answers the questions of agents about measured programs.
 *
 *	line of stdio ──┐                                  ┌── list, read: the host, which knows processes,
 *	                ├─► hp_mcp_answer ─► tool ─► model ┤   segments and files
 *	POST /mcp ──────┘         │                        └── views: what a report says of it
 *	                          ▼
 *	                  answer, HTTP status
 *
 * This folder knows no socket and no file. Two eras of the protocol are answered side by side, and no state is kept between requests:
 * a request of revision 2026-07-28 says in its _meta which revision it is of; any other is one of the older revisions,
 * which begin with "initialize".
 */
#ifndef HP_MCP_H
#define HP_MCP_H

#include "saved/saved.h"
#include "text.h"

enum {
	/** Longer requests are refused, without reading them. */
	HP_MCP_REQUEST_MAX = 1 << 20,
	/** The answer to a call of a tool is shorter than this, in bytes. */
	HP_MCP_ANSWER_MAX = 8192,
	/** The longest window, in seconds. */
	HP_MCP_WINDOW_MAX = 30,
};

/** A program that can be asked about. */
struct hp_mcp_program {
	/** What tools take to choose it: a process id, the name of a segment, or the path of a saved report. */
	const char *id;
	const char *name;
	/** "running", "ended" or "saved". */
	const char *state;
};

typedef void hp_mcp_visit(void *to, const struct hp_mcp_program *program);

/** A program as it was read. Whoever asked for it frees it with hp_mcp_reading_free. */
struct hp_mcp_reading {
	/** A complete model, with the call tree, stacks and lines. */
	struct hp_saved report;
	/** A copy of the segment; empty if there is none, as of a saved report or several processes. */
	struct hp_image image;
	/** Set by who asks: an earlier reading to which this one is the end of a window, so that times of both are converted alike; NULL
	    for none. */
	const struct hp_mcp_reading *since;
};

/** The functions that who uses this gives. All return 0, or a negative errno with one line in error. */
struct hp_mcp_host {
	void *context;
	/** Visit all programs, the one that is meant when none is named first. */
	int (*list)(void *context, hp_mcp_visit *visit, void *to, struct hp_error *error);
	/**
	 * Read a program by its id or name; NULL for the one that is meant when none is named. With a window, what happened
	 * in so many seconds, for which it may wait; 0 for all since the start.
	 */
	int (*read)(void *context, const char *program, unsigned window,
		    struct hp_mcp_reading *reading, struct hp_error *error);
};

/** Headers of HTTP that repeat parts of the request; NULL for one that was not sent. */
struct hp_mcp_headers {
	/** MCP-Protocol-Version, Mcp-Method and Mcp-Name. */
	const char *version;
	const char *method;
	const char *name;
};

/**
 * Answer a request, a notification, or a batch of them.
 *
 * @param request
 *         JSON, which need not end with NUL. It may come from anyone.
 * @param headers
 *         NULL if the transport has none.
 * @param answer
 *         Gets the answer, one line of JSON without its end; nothing if there is nothing to answer.
 * @return
 *         The status for HTTP: 200; 202 if there is nothing to answer; 400, 404; 500 when memory ran out.
 */
int hp_mcp_answer(const struct hp_mcp_host *host, const char *request, size_t length,
		  const struct hp_mcp_headers *headers, struct hp_text *answer);

/** Answer what cannot be read at all: a line that is too long. */
int hp_mcp_refuse(const char *why, struct hp_text *answer);

/** Whether a program that was read goes on, so that a window of it can be had; false with the reason in error. */
bool hp_mcp_goes_on(const struct hp_mcp_reading *reading, struct hp_error *error);

/**
 * Make a window of two readings of a program, some seconds apart: the later one becomes what happened between them.
 *
 * @return
 *         0, or a negative errno with one line in error, and the reading is freed.
 */
int hp_mcp_window(struct hp_mcp_reading *reading, const struct hp_mcp_reading *before,
		  struct hp_error *error);

void hp_mcp_reading_free(struct hp_mcp_reading *reading);

#endif
