/* SPDX-License-Identifier: MIT */
/* The functions that ours stand before. In the shared library only: a static copy would not be asked by others. */
#ifndef HOTPATH_NEXT_H
#define HOTPATH_NEXT_H

#include "atomic.h"

#include <dlfcn.h>

/** Find it once; NULL when there is none. If this library was loaded after the C library, that one is in front. */
static inline void *hotpath__next(void **known, const char *name)
{
	/* RELAXED: whoever looks twice finds the same. */
	void *found = load(known, RELAXED);

	if (!found) {
		found = dlsym(RTLD_NEXT, name);
		if (!found)
			found = dlsym(RTLD_DEFAULT, name);
		store(known, found, RELAXED);
	}
	return found;
}

#endif
