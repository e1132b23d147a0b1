#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that are left by longjmp are counted, whether inlined or not, and so is all that follows.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
unseen='handler inlined_value inlined_leaf inlined_outer'
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O1 -O2 -O3; do
		build "$compiler" "$level" functions_jump.c
		traced
		agrees
		tree_agrees
		all_closed
		bounded 1
		adds_up 1
		lost_left
	done
	HOTPATH_CLOCK=monotonic traced
	agrees
	all_closed
	lost_left
	HOTPATH_TREE=0 traced
	agrees
	lost_left
done

exit "$failed"
