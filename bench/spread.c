/* SPDX-License-Identifier: MIT */
/*
 * A program that calls 328 functions, at 2568 places of its call tree, once each: as many as an interpreter does before its
 * first line. With -finstrument-functions all of them are measured.
 */
#include "hundred.h"

#define LEAF(n)                                                                                    \
	static __attribute__((noinline)) void leaf_##n(void)                                       \
	{                                                                                          \
		__asm__ volatile("");                                                              \
	}
#define CALL(n) leaf_##n();

/* 320 of something. */
#define LEAVES(X) HUNDRED(X, 1) HUNDRED(X, 2) HUNDRED(X, 3) TEN(X, 40) TEN(X, 41)

#define CALLER(n)                                                                                  \
	static __attribute__((noinline)) void caller_##n(void)                                     \
	{                                                                                          \
		LEAVES(CALL)                                                                       \
	}

LEAVES(LEAF)
CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)
CALLER(5)
CALLER(6)
CALLER(7)
CALLER(8)

int main(void)
{
	caller_1();
	caller_2();
	caller_3();
	caller_4();
	caller_5();
	caller_6();
	caller_7();
	caller_8();
	return 0;
}
