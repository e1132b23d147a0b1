#!/bin/sh
# SPDX-License-Identifier: MIT
# What the tool shows of allocations: of a program that runs, that ended, and of a saved report.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

program=$BUILD/tests/programs/made_memory

# holds FILTER FILE
holds() { jq -e "$1" "$2" > "$work/jq" || fail "not true of $2: $1: $(cat "$work/jq")"; }

# Under run, the kernel tells the peak.
expect 0 "$HOTPATH" run --format json -o "$work/run.json" "$program"
holds '.functions_alloc.total_bytes == 7800 and .functions_alloc.total_blocks == 78' "$work/run.json"
holds '.functions_alloc | .total_bytes == ([.data[].bytes] | add)' "$work/run.json"
holds '.functions_alloc | .total_blocks == ([.data[].count] | add)' "$work/run.json"
holds '.memory_live.live_blocks == ([.memory_live.data[].blocks] | add)' "$work/run.json"
holds '.threads.rss_bytes == null and .threads.peak_rss_bytes > 65536' "$work/run.json"
holds '.threads.difference_bytes == ([.threads.data[].difference_bytes] | add)' "$work/run.json"
expect 0 "$HOTPATH" run "$program"
says '| timing, alloc-bytes, live, threads |' "$work/stderr"
says 'Total: 7.6 KB' "$work/stderr"

# A program that measured no function has something to show.
expect 0 "$HOTPATH" run "$program" alone
says '| alloc-bytes, live, threads' "$work/stderr"
says '<other call sites>' "$work/stderr"
expect 0 "$HOTPATH" report
says 'Total: 7.6 KB' "$work/stdout"
quiet "$work/stderr"
expect 0 "$HOTPATH" report --report timing
says 'No function was measured: ' "$work/stdout"

# Saved, it is the same; merged, twice as much.
expect 0 "$HOTPATH" run "$program"
expect 0 "$HOTPATH" report --report all,-tree
cp "$work/stdout" "$work/before"
expect 0 "$HOTPATH" report --save "$work/saved.json"
expect 0 "$HOTPATH" report "$work/saved.json" --report all,-tree
cmp -s "$work/before" "$work/stdout" || fail "a saved report differs: $(diff "$work/before" "$work/stdout")"
expect 0 "$HOTPATH" run --no-cpu --format json -o "$work/merged.json" sh -c "'$program'; '$program'"
holds '.processes == 3 and .functions_alloc.total_bytes == 15600' "$work/merged.json"
holds '.memory_live.live_blocks == 78 and (.threads.data | length) == 4' "$work/merged.json"

# A plain report has the percentiles that it was printed with, with or without calls inside.
expect 0 "$HOTPATH" report --format json --alloc-cumulative -o "$work/plain.json"
expect 0 "$HOTPATH" report "$work/plain.json" --report alloc
says 'Bytes that functions and calls in them allocated.' "$work/stdout"

# While it runs, the memory that it has in use is known.
mkfifo "$work/input"
"$program" wait < "$work/input" > "$work/begun" &
running=$!
exec 3> "$work/input"
until [ -s "$work/begun" ]; do
	kill -0 "$running" || exit 1
	sleep 0.01
done
expect 0 "$HOTPATH" report --format json "$running"
holds '.exit.running and .threads.rss_bytes > 65536 and .threads.peak_rss_bytes >= .threads.rss_bytes' \
	"$work/stdout"
exec 3>&-
wait "$running"

# Wrong values are one line.
refuse 2 "is not bytes or count" "$HOTPATH" report --alloc-metric blocks
refuse 2 "is not a number of rows" "$HOTPATH" report --live-limit -1

exit "$failed"
