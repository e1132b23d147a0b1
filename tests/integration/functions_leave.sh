#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that end by a tail call, never, or with the program are counted; errno is the program's.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
unseen='leave leave_thread_behind wait_forever'
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O1 -O2 -O3; do
		build "$compiler" "$level" functions_leave.c
		traced return
		agrees
		all_closed
		nothing_lost
		tree_agrees
	done
	for level in -O0 -O2; do
		build "$compiler" "$level" functions_leave.c
		for way in exit _exit quick_exit thread; do
			traced "$way"
			accounted
			nothing_lost
			holds '$row.main.open == 1 and $row.main.calls == 0'
		done
	done
	# HOTPATH_OFF: the same program, and nothing recorded.
	HOTPATH_OFF=1 traced exit
	holds '.functions_timing.data // [] | . == []'
done

exit "$failed"
