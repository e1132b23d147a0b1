#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that come and go, and end in the midst of functions, leave every call behind.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
unseen='is_cancelled'
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level" functions_threads.c
		for clock in counter monotonic; do
			HOTPATH_CLOCK=$clock traced
			agrees
			tree_agrees
			all_closed
			bounded 9
			lost_left
		done
	done
	build "$compiler" '-O2 -fexceptions' functions_threads.c
	traced
	agrees
	all_closed
done

exit "$failed"
