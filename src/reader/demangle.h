/* SPDX-License-Identifier: MIT */
/*
 * C++ names as people write them.
 *
 * The C++ library knows how. The tool is linked with it; a measured program that is written in C++ has it
 * as well, and one that is not needs none.
 */
#ifndef HP_DEMANGLE_H
#define HP_DEMANGLE_H

#include <stdbool.h>

/** What a symbol means, "int sum<int>(int, int)", from malloc; NULL when it is no C++ name. */
char *hp_demangle(const char *symbol);

/** That without return type and parameters, "sum<int>", from malloc; NULL when memory ran out. */
char *hp_demangled_name(const char *full);

/** Whether a function with this name, which may be qualified, calls itself so in its __func__. */
bool hp_is_func(const char *name, const char *func);

/**
 * What a function calls itself in its __func__, from what it calls itself in __PRETTY_FUNCTION__, which in C
 * is the same: "int ns::sum(T, T) [with T = int]" is sum. From malloc; NULL when memory ran out.
 */
char *hp_func_of_pretty(const char *pretty);

#endif
