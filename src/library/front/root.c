/* SPDX-License-Identifier: MIT */
/* Intercepts chroot: the segment is created before it, because afterwards its folder may be unreachable. */
#include "next.h"
#include "process/lifecycle.h"

#include <errno.h>
#include <unistd.h>

__attribute__((visibility("default"))) int chroot(const char *path)
{
	static void *next;
	int (*found)(const char *) = (int (*)(const char *))hotpath__next(&next, "chroot");

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	hotpath__reserve_segment();
	return found(path);
}
