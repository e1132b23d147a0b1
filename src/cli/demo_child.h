/* SPDX-License-Identifier: MIT */
/* The demo program, which never outlives the tool. */
#ifndef DEMO_CHILD_H
#define DEMO_CHILD_H

#include <sys/types.h>

/**
 * Start it, and wait until there is something to see.
 *
 * From then on a SIGINT, SIGTERM or SIGHUP that ends us ends it first. If we end in any other way, it ends by
 * itself.
 *
 * @return
 *         Its process id, or a negative number after one line on standard error.
 */
pid_t demo_start(void);

/** End it, and remove its segment. When it has not been started, nothing happens. */
void demo_end(void);

#endif
