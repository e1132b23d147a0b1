/* SPDX-License-Identifier: MIT */
/* The functions of libuv behind our wrappers. */
#ifndef LIBUV_H
#define LIBUV_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** A callback of any type; it is cast back to its own type to be called. */
typedef void (*function_t)(void);

/** Look up the function behind ours, once. Never NULL: in place of a function that does not exist, one that returns
   UV_ENOSYS. */
function_t libuv_find(function_t *known, const char *name);

/* The function of libuv with this name, to be called from our wrapper of it. */
#define NEXT(function)                                                                             \
	({                                                                                         \
		static function_t libuv_known;                                                     \
		(__typeof__(&(function)))libuv_find(&libuv_known, #function);                      \
	})

/** Whether an address is in libuv's code: libuv itself calls some of its public functions, and so our wrappers. */
bool libuv_has(uintptr_t address);

/* Whether the present wrapper was called by libuv itself. */
#define CALLED_BY_LIBUV libuv_has((uintptr_t)__builtin_return_address(0))

#pragma GCC visibility pop

#endif
