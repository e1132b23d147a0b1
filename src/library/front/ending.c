/* SPDX-License-Identifier: MIT */
/* Intercepts the functions that end the process without exit handlers: the segment and the register of the run are told. */
#include "front.h"
#include "process/lifecycle.h"
#include "process/registration.h"

VISIBLE void _exit(int status)
{
	hotpath__note_leaving();
	hotpath__register_end(status);
	NEXT(_exit)(status);
	__builtin_unreachable();
}

VISIBLE void _Exit(int status)
{
	_exit(status);
}

/* Its handlers run afterwards. */
VISIBLE void quick_exit(int status)
{
	hotpath__register_end(status);
	NEXT(quick_exit)(status);
	__builtin_unreachable();
}
