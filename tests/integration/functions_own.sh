#!/bin/sh
# SPDX-License-Identifier: MIT
# A program may define what the recorder uses of the C library, and have that measured.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# memset and the others were called 100 times by the program; what the recorder calls is not counted.
check()
{
	holds '$row | map_values(.calls) == {"main": 1, "work": 1000, "memset": 100, "memcpy": 100,
		"strlen": 100, "strcmp": 100, "open": 100}'
	all_closed
	nothing_lost
}

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level -fno-builtin" functions_own.c
		traced
		check
		HOTPATH_CLOCK=monotonic traced
		check
	done
done

exit "$failed"
