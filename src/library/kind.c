/* SPDX-License-Identifier: MIT */
/* Compiled once for each of the two libraries, to tell which one it is in. */
#include "process/lifecycle.h"

const bool hotpath__is_shared = HOTPATH_SHARED;

#if HOTPATH_SHARED && defined(__GLIBC__)
extern const char *gnu_get_libc_version(void) __attribute__((weak));

bool hotpath__is_foreign(void)
{
	return !gnu_get_libc_version;
}
#else
bool hotpath__is_foreign(void)
{
	return false;
}
#endif
