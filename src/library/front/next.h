/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions that ours intercept. In the shared library only: a static copy would not intercept calls of
 * other libraries.
 */
#ifndef HOTPATH_NEXT_H
#define HOTPATH_NEXT_H

#include "atomic.h"

#include <dlfcn.h>

/**
 * Look it up once; NULL if there is none. If this library was loaded after the C library, the default symbol is used.
 */
static inline void *hotpath__next(void **known, const char *name)
{
	/* RELAXED: looking it up twice gives the same result. */
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
