/* SPDX-License-Identifier: MIT */
/* The GAsyncQueues that the probe knows. */
#ifndef GLIB_QUEUES_H
#define GLIB_QUEUES_H

#include "objects.h"

/**
 * Add a queue that was created before the probe was there. The queue's own lock keeps other threads from doing so too.
 *
 * @param is_locked
 *         The program holds the queue's lock.
 * @param code
 *         An address in the program, for the name of the site.
 * @return
 *         NULL when nothing is recorded, or there is no room.
 */
__attribute__((cold)) struct object *queues_learn(GAsyncQueue *queue, bool is_locked,
						  uintptr_t code);

/** The program has named an object. Does nothing when it is not a queue. */
void queues_label(const void *address, const char *label);

#endif
