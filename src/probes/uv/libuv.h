/* SPDX-License-Identifier: MIT */
/* libuv, as the program has it without us. */
#ifndef LIBUV_H
#define LIBUV_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** A callback of any type; it is called as what it is. */
typedef void (*function_t)(void);

/** Find a function that comes after ours, once; never NULL: what is not there returns UV_ENOSYS. */
function_t libuv_find(function_t *known, const char *name);

/* The function of libuv that is called as the one in which this stands. */
#define NEXT(function)                                                                             \
	({                                                                                         \
		static function_t libuv_known;                                                     \
		(__typeof__(&(function)))libuv_find(&libuv_known, #function);                      \
	})

/** Whether code is libuv's own, which calls its public functions like anybody else. */
bool libuv_has(uintptr_t address);

/* Whether the function in which this stands was called by libuv itself. */
#define CALLED_BY_LIBUV libuv_has((uintptr_t)__builtin_return_address(0))

#pragma GCC visibility pop

#endif
