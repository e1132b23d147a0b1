/* SPDX-License-Identifier: MIT */
/* A progress line on a terminal, redrawn in place. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool is_shown;
	size_t done;
	size_t total;
	uint64_t begin_ns;
	/** Width of the line on the screen now. */
	size_t columns;
};

/**
 * Begin; nothing is drawn yet, and nothing ever if standard error is no terminal.
 *
 * @param total
 *         How many steps there are.
 */
void progress_begin(struct progress *progress, size_t total, bool is_wanted);

/** Say what is being done, such as "base  3/10". */
void progress_show(struct progress *progress, const char *what);

/** A step is done. */
void progress_step(struct progress *progress);

/** Take the line away. */
void progress_end(struct progress *progress);

#endif
