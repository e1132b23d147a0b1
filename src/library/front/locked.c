/* SPDX-License-Identifier: MIT */
/* A program that locks its memory may lock little of it, if it is not root: ours is taken out again. */
#include "next.h"
#include "recorder.h"

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
