/* SPDX-License-Identifier: MIT */
/* Work for libuv's thread pool: how long it waits there for a thread, apart from how long that takes. */
#ifndef POOL_H
#define POOL_H

#include "observe.h"

#pragma GCC visibility push(hidden)

/**
 * A request that the pool is to serve is about to be passed to libuv, and nothing else until pool_end.
 *
 * @param flight
 *         Its key is the request's struct uv__work. NULL does nothing.
 * @param runs_program
 *         The pool calls a function of the program, and not of libuv.
 */
void pool_begin(struct flight *flight, bool runs_program);

/** libuv has answered. Returns the result. */
int pool_end(struct flight *flight, int result);

#pragma GCC visibility pop

#endif
