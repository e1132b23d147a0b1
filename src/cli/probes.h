/* SPDX-License-Identifier: MIT */
/* The probes that a program can be run with, by the names of --probes. */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>

struct probe {
	const char *name;
	const char *library;
	/** The events that the probe records; and the package to link a program with it. */
	const char *calls;
	const char *package;
};

/** Ends with a name that is NULL. There are fewer than bits in an unsigned. */
extern const struct probe probes[];

/**
 * Parse a list of probes, such as "uv,glib".
 *
 * @param command
 *         The command, for the message.
 * @param wanted
 *         Set to a bit set of table indexes.
 * @return
 *         Whether it names nothing else; one line says so otherwise.
 */
bool probes_parse(const char *command, const char *list, unsigned *wanted);

#endif
