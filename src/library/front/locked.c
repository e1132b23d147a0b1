/* SPDX-License-Identifier: MIT */
/* Excludes our memory when a program locks its own: without root, the amount of locked memory is limited. */
#include "next.h"
#include "process/room.h"

#include <errno.h>
#include <sys/mman.h>

__attribute__((visibility("default"))) int mlockall(int flags)
{
	static void *next;
	int (*found)(int) = (int (*)(int))hotpath__next(&next, "mlockall");

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	int result = found(flags);
	int saved_errno = errno;
	if (result == 0)
		hotpath__stay_unlocked(flags & MCL_FUTURE);
	errno = saved_errno;
	return result;
}
