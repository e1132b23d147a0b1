#!/bin/sh
# SPDX-License-Identifier: MIT
# speedscope, in a browser, reads what is exported for it, and shows the same functions.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium
needs_module playwright-core speedscope
pictures=$BUILD/consumers
mkdir -p "$pictures"

# top FILE PICTURE: "time name" of the functions of the first thread with time of their own, the most first.
top() { "$node" "$(dirname "$0")/speedscope.mjs" "$1" "$pictures/$2" | grep -vE '^0(.00)? ?[nB]'; }

export_made speedscope "$work/made.speedscope.json"
top "$work/made.speedscope.json" speedscope.png > "$work/top"
same '400.00ms memcpy
300.00ms parse.constprop.0 [measured]
200.00ms draw<a> & "b"; '"'c'"' ]]></script>
50.00ms walk
10.00ms [no stack]' "$work/top"

# speedscope reads folded stacks and the format of pprof as well, and finds the same.
export_made folded "$work/made.folded"
top "$work/made.folded" folded.png > "$work/top"
says '400 memcpy' "$work/top"
says '300 parse.constprop.0_[m]' "$work/top"
export_made pprof "$work/made.pb.gz"
top "$work/made.pb.gz" pprof.png > "$work/top"
says '400.00ms memcpy' "$work/top"

# Bytes, and measured time.
export_made speedscope "$work/alloc.speedscope.json" alloc
top "$work/alloc.speedscope.json" alloc.png > "$work/top"
same '976.56 KB render
488.28 KB parse.constprop.0 [measured]
100 B [no stack]
24 B walk' "$work/top"
export_made speedscope "$work/live.speedscope.json" live
top "$work/live.speedscope.json" live.png > "$work/top"
same '195.31 KB parse.constprop.0 [measured]
24 B walk' "$work/top"
export_made speedscope "$work/time.speedscope.json" time
top "$work/time.speedscope.json" time.png > "$work/top"
same '5.00ms read line [measured]
4.00ms parse [measured]
3.00ms <other>' "$work/top"

# A program that was really run: its first thread.
record
"$HOTPATH" export --format speedscope -o "$work/samples.speedscope.json"
top "$work/samples.speedscope.json" samples.png > "$work/top"
head -n 1 "$work/top" | grep -q ' spin$' || fail "spin is not the first: $(cat "$work/top")"

# Stacks of waits.
record_waits
"$HOTPATH" export --what waits --format speedscope -o "$work/waits.speedscope.json"
top "$work/waits.speedscope.json" waits.png > "$work/top"
wanted=$(awk '$3 == "lock" { printf "%.2fms lock gate", $1 / 1e6 }' "$work/figures")
head -n 1 "$work/top" > "$work/first"
same "$wanted" "$work/first"

exit "$failed"
