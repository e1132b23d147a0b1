#!/bin/sh
# SPDX-License-Identifier: MIT
# What it takes to arm a library that is loaded, and to forget it, is the profiler's cost, and no part of the calls around.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
sources=$(cd "$(dirname "$0")/../programs" && pwd)

i=0
while [ "$((i += 1))" -le 2000 ]; do
	echo "int unused_$i(int x) { return x + $i; }"
done > "$work/library.c"
"$HOTPATH" cc gcc -O1 -fPIC -shared "$work/library.c" -o "$work/library.so"
"$HOTPATH" cc gcc -O2 "$sources/sleds_loading.c" -ldl -o "$work/sleds_loading"

# Most of the time is ours, so the rest is less than that; and together they are what passed.
is_taken_off()
{
	wall=$(fact wall)
	holds ".overhead.estimated_ns > $wall / 5"
	holds "\$row.load.total_ns + .overhead.estimated_ns < $wall * 1.2"
	holds "\$row.load.total_ns < $wall - .overhead.estimated_ns / 2"
	holds '$row.load.self_ns == $row.load.total_ns'
}
undisturbed is_taken_off by_tool "$work/sleds_loading" "$work/library.so"
exit "$failed"
