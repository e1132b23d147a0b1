#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions allocate at any depth, after jumps, and on other stacks.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level" alloc_stacks.c
		for mode in live freed count; do
			for where in deep coroutines jump; do
				allocating "$mode" "$where"
				allocates
			done
		done
	done
done

exit "$failed"
