/* SPDX-License-Identifier: MIT */
/* The programs that agents may ask about: those that the user named, or all of the user's. */
#ifndef MCP_HOST_H
#define MCP_HOST_H

#include "mcp.h"

struct mcp_programs {
	/** The programs that the user named, ending with NULL. A question that names none is about the first. */
	char *const *names;
	/** Others may be asked about as well. */
	bool all;
	/** But no files that are not named. */
	bool no_files;
	/** Wait for some seconds. Returns false if we are to end meanwhile. */
	bool (*wait)(unsigned seconds);
};

/** The functions that answer agents, for programs, which must outlive them. */
struct hp_mcp_host mcp_host(struct mcp_programs *programs);

/**
 * Check what the user named: a process must have a segment, and a file must be there. A program need not run yet.
 *
 * @return
 *         STATUS_OK, or another status after one line on standard error.
 */
int mcp_programs_check(const struct mcp_programs *programs);

#endif
