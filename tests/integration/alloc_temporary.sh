#!/bin/sh
# SPDX-License-Identifier: MIT
# Blocks are temporary that are freed before the call returns that allocated them, or next.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level -fno-builtin" alloc_temporary.c
		allocating live
		allocates
	done
done

exit "$failed"
