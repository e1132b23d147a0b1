/* SPDX-License-Identifier: MIT */
/*
 * Intercepts dlclose: the addresses of unloaded code may be reused by whatever is loaded next, and the dynamic linker
 * does not report it.
 */
#include "calls/modules.h"
#include "next.h"

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
