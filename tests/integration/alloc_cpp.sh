#!/bin/sh
# SPDX-License-Identifier: MIT
# What C++ allocates counts for whoever calls new, whatever allocator the operators are of.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"
instrumented="-std=c++17 -D_GNU_SOURCE -w -finstrument-functions -pthread"

# sites: blocks come from where new is written, not from where the operator is.
sites()
{
	holds 'all(.memory_live.data[]?; (.name | startswith("by_") | not) or
		(.location | test("alloc_cpp.cpp:")))'
}

# vectors: two of them, and one element by itself, whoever of the C++ library it was.
vectors()
{
	holds '[.functions_alloc.data[] | select(.name == "main" or (.name | test("::")))] |
		[map(.bytes), map(.count) | add] == [12040, 3]'
}

for compiler in g++ clang++; do
	command -v "$compiler" > /dev/null || continue
	for level in -O0 -O2; do
		build "$compiler" "-g $level" alloc_cpp.cpp
		for mode in live freed count; do
			allocating "$mode"
			allocates
			vectors
			sites
		done
		for mode in live freed count; do
			allocating "$mode" threads
			allocates
		done
		# Operators that are those of the allocator, and call nothing that is seen.
		for allocator in libjemalloc.so.2 libmimalloc.so.2 libtcmalloc_minimal.so.4; do
			[ -z "$(LD_PRELOAD=$allocator /bin/true 2>&1)" ] || continue
			export LD_PRELOAD=$allocator
			allocating live modest
			unset LD_PRELOAD
			what="$what with $allocator"
			allocates
			vectors
			sites
		done
	done
done

exit "$failed"
