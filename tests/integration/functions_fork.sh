#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process has a report of its own calls, however it was started.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
unseen='start_from_child'
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level" functions_fork.c
		for way in fork _exit spawn; do
			traced "$way"
			each_agrees
			nothing_lost
		done
		# The call from which the child became another program did not return.
		traced vfork
		each_agrees
		holds '.dropped.abandoned == ($row.start_from_child.calls // 0)'
		# What was open is so for ever: the program is another one.
		traced exec
		each_accounted
		nothing_lost
	done
	HOTPATH_CLOCK=monotonic traced fork
	each_agrees
done

exit "$failed"
