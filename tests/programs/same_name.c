/* SPDX-License-Identifier: MIT */
/* Calls two static functions of the same name in two files, and an inline one of both. */
#include "same_name.h"

__attribute__((noinline)) static void twin(void)
{
	HOTPATH_MEASURE();
}

static void call_labels(void)
{
	for (int i = 0; i < 7; i++) {
		HOTPATH_BLOCK("label", {})
		if (i % 2)
			HOTPATH_BLOCK("label", {})
	}
}

int main(void)
{
	HOTPATH_MAIN();

	for (int i = 0; i < 300; i++) {
		twin();
		shared_inline();
	}
	call_other(500);
	call_labels();
	return 0;
}
