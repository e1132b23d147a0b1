/* SPDX-License-Identifier: MIT */
/*
 * The C++ library's function for mangled names, for the tool, which is not linked with that library: it is loaded with
 * the first such name.
 */
#include "demangle.h"
#include "late.h"

typedef char *demangle(const char *symbol, char *output, size_t *length, int *status);

/* Without the library, names stay as they are. */
demangle __cxa_demangle;

char *__cxa_demangle(const char *symbol, char *output, size_t *length, int *status)
{
	static bool tried;
	static demangle *found;
	static const struct hp_late_symbol symbols[] = { { "__cxa_demangle", &found } };

	if (!tried)
		hp_late_load("libstdc++.so.6", symbols, 1);
	tried = true;
	return found ? found(symbol, output, length, status) : NULL;
}
