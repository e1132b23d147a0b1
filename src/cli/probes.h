/* SPDX-License-Identifier: MIT */
/* The probes that a program can be run with, by the names of --probes. */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>

struct probe {
	const char *name;
	const char *library;
	/** What it sees, and what a program can be linked with to have it by itself. */
	const char *calls;
	const char *package;
};

/** Ends with a name that is NULL. There are fewer than bits in an unsigned. */
extern const struct probe probes[];

/**
 * Which probes a list names, such as "uv,glib".
 *
 * @param command
 *         Who asks, for that line.
 * @param wanted
 *         Becomes a set of bits, by their place in the table.
 * @return
 *         Whether it names nothing else; one line says so otherwise.
 */
bool probes_parse(const char *command, const char *list, unsigned *wanted);

#endif
