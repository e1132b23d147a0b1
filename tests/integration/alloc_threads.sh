#!/bin/sh
# SPDX-License-Identifier: MIT
# Blocks go from thread to thread, and are taken off whoever allocated them; threads end, and nothing is lost.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

for compiler in $compilers; do
	build "$compiler" -O2 alloc_threads.c
	for mode in live freed count; do
		allocating "$mode" handover
		allocates
		allocating "$mode" short
		allocates
		# What a thread does when it has ended is nobody's, but it is there.
		holds "([.functions_alloc.data[] | select(.name != \"main\").bytes] | add) == $(fact short)"
	done
done

exit "$failed"
