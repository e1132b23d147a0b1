/* SPDX-License-Identifier: MIT */
/*
 * Intercepts dlclose: the addresses of unloaded code may be reused by whatever is loaded next, and the dynamic linker
 * does not report it.
 */
#include "calls/modules.h"
#include "front.h"

VISIBLE int dlclose(void *handle)
{
	hotpath__unload_begins();
	int result = NEXT(dlclose)(handle);
	hotpath__unload_ends();
	return result;
}
