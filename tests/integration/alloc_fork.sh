#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process has its own figures, which begin with nothing; blocks of its parent are not known to it.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

for compiler in $compilers; do
	build "$compiler" -O2 alloc_fork.c
	for how in fork exec; do
		allocating live "$how"
		each_allocates
	done
	# Blocks that are not followed are not missed either.
	for mode in freed count; do
		allocating "$mode" exec
		each_allocates
	done
done

exit "$failed"
