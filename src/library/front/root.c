/* SPDX-License-Identifier: MIT */
/* Intercepts chroot: the segment is created before it, because afterwards its folder may be unreachable. */
#include "front.h"
#include "process/lifecycle.h"

VISIBLE int chroot(const char *path)
{
	hotpath__reserve_segment();
	return NEXT(chroot)(path);
}
