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

/** Demangle a symbol: "int sum<int>(int, int)", from malloc; NULL if it is no C++ name. */
char *hp_demangle(const char *symbol);

/** The same without return type and parameters: "sum<int>", from malloc; NULL when memory ran out. */
char *hp_demangled_name(const char *full);

/** Whether func can be the __func__ of a function with this name, which may be qualified. */
bool hp_is_func(const char *name, const char *func);

/**
 * The __func__ of a function, derived from its __PRETTY_FUNCTION__: "int ns::sum(T, T) [with T = int]" gives sum. In
 * C both are the same. From malloc; NULL when memory ran out.
 */
char *hp_func_of_pretty(const char *pretty);

#endif
