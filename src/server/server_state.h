/* SPDX-License-Identifier: MIT */
/* What the parts of a server share. */
#ifndef HP_SERVER_STATE_H
#define HP_SERVER_STATE_H

#include "access.h"
#include "connections.h"
#include "programs.h"

struct hp_marks;
struct hp_mcp_host;

struct hp_server {
	struct event_base *base;
	struct evhttp *http;
	struct evconnlistener *listener;
	struct hp_connections *connections;
	struct hp_access access;
	struct hp_programs *programs;
	struct hp_marks *marks;
	const struct hp_mcp_host *mcp;
	unsigned metrics_limit;
	void (*log)(const char *line);
	/** When a refused request was last logged, and how many were not since then. */
	uint64_t logged_ns;
	uint64_t unlogged;
	/** Requests that are kept. */
	size_t kept;
};

#endif
