/* SPDX-License-Identifier: MIT */
/* Excludes our memory when a program locks its own: without root, the amount of locked memory is limited. */
#include "front.h"
#include "process/room.h"

#include <errno.h>

VISIBLE int mlockall(int flags)
{
	int result = NEXT(mlockall)(flags);
	int saved_errno = errno;
	if (result == 0)
		hotpath__stay_unlocked(flags & MCL_FUTURE);
	errno = saved_errno;
	return result;
}
