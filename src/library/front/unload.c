/* SPDX-License-Identifier: MIT */
/*
 * Code that is unloaded leaves its addresses to whatever is loaded next. The dynamic linker tells nobody, so
 * we stand before its dlclose.
 */
#include "next.h"
#include "recorder.h"

#include <errno.h>

__attribute__((visibility("default"))) int dlclose(void *handle)
{
	static void *next;
	int (*found)(void *) = (int (*)(void *))hotpath__next(&next, "dlclose");

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	hotpath__unload_begins();
	int result = found(handle);
	hotpath__unload_ends();
	return result;
}
