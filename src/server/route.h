/* SPDX-License-Identifier: MIT */
/* The paths that the server answers: each is a constant at the end of a file, and a line in a table. */
#ifndef HP_ROUTE_H
#define HP_ROUTE_H

#include "text.h"

#include <stdbool.h>

struct hp_request;

struct hp_route {
	const char *path;
	/** What it answers, in one line; those of /debug/pprof/ are listed there with it. */
	const char *help;
	/** It takes POST, with a body, in place of GET and HEAD. */
	bool takes_post;
	/** Answers a request, or keeps it to do so later. */
	void (*answer)(struct hp_request *request);
};

extern const struct hp_route hp_route_page;
extern const struct hp_route hp_route_page_script;
extern const struct hp_route hp_route_page_style;
extern const struct hp_route hp_route_programs;
extern const struct hp_route hp_route_report;
extern const struct hp_route hp_route_flame;
extern const struct hp_route hp_route_stream;
extern const struct hp_route hp_route_compare;
extern const struct hp_route hp_route_mark;
extern const struct hp_route hp_route_metrics;
extern const struct hp_route hp_route_mcp;
extern const struct hp_route hp_route_pprof;
extern const struct hp_route hp_route_pprof_profile;
extern const struct hp_route hp_route_pprof_allocs;
extern const struct hp_route hp_route_pprof_heap;
extern const struct hp_route hp_route_pprof_mutex;
extern const struct hp_route hp_route_pprof_block;

/** All routes; ends with NULL. */
extern const struct hp_route *const hp_routes[];

/** The route of a path; NULL when there is none. */
const struct hp_route *hp_route_find(const char *path);

/** List all paths, separated by ", ". */
void hp_routes_put(struct hp_text *text);

#endif
