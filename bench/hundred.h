/* SPDX-License-Identifier: MIT */
/* Macros that make ten or a hundred of something, each with a number of its own. */
#ifndef BENCH_HUNDRED_H
#define BENCH_HUNDRED_H

#define TEN(of, n)                                                                                 \
	of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define HUNDRED(of, n)                                                                             \
	TEN(of, n##0)                                                                              \
	TEN(of, n##1)                                                                              \
	TEN(of, n##2)                                                                              \
	TEN(of, n##3)                                                                              \
	TEN(of, n##4)                                                                              \
	TEN(of, n##5)                                                                              \
	TEN(of, n##6)                                                                              \
	TEN(of, n##7)                                                                              \
	TEN(of, n##8)                                                                              \
	TEN(of, n##9)

#endif
