/* SPDX-License-Identifier: MIT */
/* The queues that are known. */
#ifndef GLIB_QUEUES_H
#define GLIB_QUEUES_H

#include "objects.h"

/**
 * Get to know a queue that was made before we were there. Of several threads, the one that has the queue's lock does.
 *
 * @param is_locked
 *         The program holds it.
 * @param code
 *         An address in the program to name it by.
 * @return
 *         NULL when nothing is recorded, or there is no room.
 */
__attribute__((cold)) struct object *queues_learn(GAsyncQueue *queue, bool is_locked,
						  uintptr_t code);

/** The program calls it so. Does nothing when it is no queue. */
void queues_label(const void *address, const char *label);

#endif
