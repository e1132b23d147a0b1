/* SPDX-License-Identifier: MIT */
/*
 * Code that is unloaded leaves its addresses to whatever is loaded next. The dynamic linker tells nobody, so
 * we stand before its dlclose. In the shared library only: a static copy in the program would not be
 * asked by the others.
 */
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>

__attribute__((visibility("default"))) int dlclose(void *handle)
{
	/* RELAXED: whoever looks twice finds the same. */
	static int (*next)(void *handle);
	int (*found)(void *) = load(&next, RELAXED);

	if (!found) {
		found = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
		store(&next, found, RELAXED);
	}
	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	hotpath__unload_begins();
	int result = found(handle);
	hotpath__unload_ends();
	return result;
}
