/* SPDX-License-Identifier: MIT */
/*
 * A library: its functions are called by others, by itself before main, and by one another.
 *
 * NAME tells libraries of this source apart; helper is static in all of them. With QUIET the library's
 * constructor is not measured.
 */
#include "hotpath.h"

#ifndef NAME
#define NAME library
#endif
#ifdef QUIET
#define CONSTRUCTOR HOTPATH_SKIP __attribute__((constructor))
#else
#define CONSTRUCTOR __attribute__((constructor))
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

int JOIN(NAME, _work)(void);
int JOIN(NAME, _shared)(int value);

static volatile int count;

__attribute__((noinline)) static void helper(void)
{
	count++;
}

CONSTRUCTOR static void JOIN(NAME, _constructor)(void)
{
	count = 0;
}

/* By way of the linker's table, for another library could have it as well. */
int JOIN(NAME, _shared)(int value)
{
	return value + 1;
}

/** How often it was called, this time included. */
int JOIN(NAME, _work)(void)
{
	helper();
	return JOIN(NAME, _shared)(count - 1);
}
