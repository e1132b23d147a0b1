/* SPDX-License-Identifier: MIT */
/* Any bytes in place of a segment: nothing outside them is read, and reading comes to an end. */
#include "read_all.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size, size && data[size - 1] & 1);
	return 0;
}
