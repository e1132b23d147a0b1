/* SPDX-License-Identifier: MIT */
/* The functions of libuv behind our wrappers. */
#ifndef LIBUV_H
#define LIBUV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <uv.h>

#define NEXT_TABLE "uv.def"
#define NEXT_ASK(name) libuv_ask(name)
#include "next.h"

#pragma GCC visibility push(hidden)

/** A callback of any type; it is cast back to its own type to be called. */
typedef void (*function_t)(void);

/** Look up a function with the dynamic linker; NULL when there is none. */
void *libuv_ask(const char *name);

/** Called in place of a function that does not exist: returns UV_ENOSYS. */
int libuv_missing(void);

/** Whether an address is in libuv's code: libuv itself calls some of its public functions, and so our wrappers. */
bool libuv_has(uintptr_t address);

/* Whether the present wrapper was called by libuv itself. */
#define CALLED_BY_LIBUV libuv_has((uintptr_t)__builtin_return_address(0))

#pragma GCC visibility pop

#endif
