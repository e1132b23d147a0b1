#!/bin/sh
# SPDX-License-Identifier: MIT
# What lua allocates is what valgrind and heaptrack count; and with all its functions measured it is the same.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
. "$(dirname "$0")/../integration/alloc_common.sh"
. "$(dirname "$0")/../oracle/heap_common.sh"

# Names of one length: lua keeps a copy of what it was called by.
unpack lua5.4 ours bare
build make -C "$work/ours" -j 2 linux ALL=lua CC="$hotpath_cc"
build make -C "$work/bare" -j 2 linux ALL=lua CC=gcc
same_heap "$work/bare/src/lua" "$here/script.lua"
ours '(.functions_alloc | .total_bytes, .total_blocks, .freed_bytes), .memory_live.live_bytes' > "$work/bare_heap"

by_us "$work/ours/src/lua" "$here/script.lua"
rows_add_up
equal "$(cat "$work/bare_heap")" "$(ours '(.functions_alloc | .total_bytes, .total_blocks, .freed_bytes),
	.memory_live.live_bytes')" 'without measured functions'
jq -e '.functions_alloc as $all | $all.data | map({(.name): .}) | add |
	.luaM_malloc_.bytes + .luaM_realloc_.bytes > $all.total_bytes * 0.9 and .main.inclusive_bytes == $all.total_bytes and
	all(.[]; .inclusive_bytes >= .bytes and .inclusive_bytes <= $all.total_bytes)' "$work/report" \
	> /dev/null || fail "not what functions allocate: $(jq -c .functions_alloc "$work/report")"

exit "$failed"
