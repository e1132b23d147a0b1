/* SPDX-License-Identifier: MIT */
/*
 * A program that changes its root before its first measured call could not make its segment any more: we stand before
 * chroot, and make it then.
 */
#include "next.h"
#include "recorder.h"

#include <errno.h>

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
