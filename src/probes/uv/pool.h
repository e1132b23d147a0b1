/* SPDX-License-Identifier: MIT */
/* Work for libuv's thread pool: how long it waits for a thread, and how long it runs. */
#ifndef POOL_H
#define POOL_H

#include "observe.h"

#pragma GCC visibility push(hidden)

/**
 * A request for the pool is about to be passed to libuv. Until pool_end, this thread passes no other one.
 *
 * @param flight
 *         Its key is the request's struct uv__work. NULL does nothing.
 * @param runs_program
 *         The pool calls a function of the program, and not of libuv.
 */
void pool_begin(struct flight *flight, bool runs_program);

/** The call of libuv has returned `result`, which is returned again. */
int pool_end(struct flight *flight, int result);

#pragma GCC visibility pop

#endif
