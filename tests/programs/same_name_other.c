/* SPDX-License-Identifier: MIT */
/* The other file: its twin has the same name and stands on the same line as the first one's. */
#include "same_name.h"

__attribute__((noinline)) static void twin(void)
{
	HOTPATH_MEASURE();
}

void call_other(int times)
{
	for (int i = 0; i < times; i++) {
		twin();
		shared_inline();
	}
}
