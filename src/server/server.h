/* SPDX-License-Identifier: MIT */
/*
 * An HTTP server for what programs of this machine measure: a reader like the console, beside the programs.
 *
 *	connections   how many, and for how long
 *	request       one request; query takes its target apart, access decides whether it is allowed
 *	route         which function answers: route_*.c
 *	programs      what there is to be asked about, read when somebody asks
 */
#ifndef HP_SERVER_H
#define HP_SERVER_H

#include "access.h"
#include "programs.h"

struct hp_mcp_host;

struct hp_server_options {
	/** Its port may be 0 for any that is free. */
	struct hp_access access;
	/** Path of a Unix socket; NULL for TCP. */
	const char *socket;
	/** Answers the questions of agents about the same programs. */
	const struct hp_mcp_host *mcp;
	/** Functions of a program, and rows of other kinds, that have series of their own for Prometheus; 0 for all. */
	unsigned metrics_limit;
	/** Called with one line when the server can be asked. */
	void (*started)(const struct hp_access *access, const char *socket);
	/** Called with a line for the log. */
	void (*log)(const char *line);
};

/**
 * Serve until a signal asks to end: SIGINT, SIGTERM or SIGHUP.
 *
 * @return
 *         0, or a negative errno with one line in error: nothing was served.
 */
int hp_server_run(const struct hp_server_options *options, struct hp_programs *programs,
		  struct hp_error *error);

#endif
