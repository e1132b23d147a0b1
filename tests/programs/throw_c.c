/* SPDX-License-Identifier: MIT */
/* A measured C function that a C++ exception passes; built with and without -fexceptions. */
#include <hotpath.h>

#include "throw.h"

void throw_through(int more)
{
	HOTPATH_MEASURE();

	if (more > 0)
		throw_through(more - 1);
	else
		throw_here();
}
