#!/bin/sh
# SPDX-License-Identifier: MIT
# lua is built with nothing but CC changed, and runs a script as before.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
. "$here/../oracle/hottest.sh"
script=$here/script.lua

unpack lua5.4 ours plain
build make -C "$work/ours" -j 2 linux CC="$hotpath_cc"
build make -C "$work/plain" -j 2 linux ALL=lua CC=gcc
"$work/plain/src/lua" "$script" > "$work/expected"

expect 0 "$work/ours/src/lua" "$script"
cmp "$work/expected" "$work/stdout" || fail 'other output'
expect 0 measure "$work/ours/src/lua" "$script"
cmp "$work/expected" "$work/stdout" || fail 'other output when measured'
quiet "$work/stderr"
reported main luaV_execute luaD_pcall lua_resume luaC_fullgc auxsort

# A script that takes longer.
"$work/plain/src/lua" "$here/hot.lua" > "$work/expected"
toggled "$work/ours" "$work/ours/src/lua" "$here/hot.lua" > "$work/found"
cmp "$work/expected" "$work/found" || fail 'other output while armed and disarmed'

# What errors left by longjmp.
[ "$(jq '.dropped.abandoned' "$work/report")" -gt 0 ] || fail 'no call was abandoned'

# An interpreter calls itself by many ways: the tree has room for all of them, and nothing is longer than main.
expect 0 env HOTPATH_REPORT=auto,tree "$HOTPATH" run --format json --limit 0 -o "$work/report" -- \
	"$work/ours/src/lua" "$script"
jq -e '.functions_timing.data as $rows | [.call_tree.data[] | recurse(.children[])] as $branches |
	($rows[] | select(.name == "main").total_ns) as $main |
	all($branches[]; .kind != "other" and .total_ns <= $main * 1.05) and
	($branches | map(.calls) | add) == ($rows | map(.calls) | add)' "$work/report" > /dev/null ||
	fail 'the call tree is not that of main'

# Where it spends its time, without anything measured.
same_hottest "$work/plain/src/lua" "$here/hot.lua"

exit "$failed"
