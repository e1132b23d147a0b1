#!/bin/sh
# SPDX-License-Identifier: MIT
# Signal handlers call functions, on any stack and at any instruction of the hooks.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
unseen='inlined'
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level" functions_signal.c
		for where in own-stack heap-stack local-stack; do
			traced "$where"
			agrees
			tree_agrees
			all_closed
			nothing_lost
		done
	done
done
HOTPATH_CLOCK=monotonic traced own-stack
agrees
nothing_lost

exit "$failed"
