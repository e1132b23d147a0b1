#!/bin/sh
# SPDX-License-Identifier: MIT
# What recording allocations costs is told, and taken off the times: once, of each call that it is inside.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
root=$(dirname "$0")/../..
pairs=2000000

gcc -O2 -DHOTPATH_ENABLE=1 -I "$root/include" "$root/tests/programs/alloc_cost.c" -o "$work/alloc_cost" \
	-L "$BUILD/src/library" -Wl,-rpath,"$BUILD/src/library" -lhotpath

# taken_off: each function's time is less than by its own clock, by its part of the cost: a third of it is of the blocks
# that each of the three allocates itself.
taken_off='((.functions_timing.data | map({(.name): .total_ns}) | add) + {main: .own_elapsed_ns}) as $told | .overhead.estimated_ns as $cost |
	{inner: 1, outer: 2, main: 3} | to_entries | all(.key as $name |
		(($truth[0][$name] - $told[$name]) / ($cost * .value / 3)) | . > 0.7 and . < 1.35)'

# record MODE: leaves $work/truth and $work/report.
record()
{
	rm -f "$work/report"
	expect 0 "$HOTPATH" run --no-cpu "--alloc=$1" --format json -o "$work/report" -- "$work/alloc_cost" "$pairs"
	mv "$work/stdout" "$work/truth"
}

# Where the machine stands still while the recorder is at work, that is a cost, too: of several runs one must do.
check()
{
	for _ in 1 2 3 4 5; do
		record "$1"
		jq --slurpfile truth "$work/truth" "$taken_off" "$work/report" > "$work/answer"
		[ "$(cat "$work/answer")" != true ] || return 0
	done
	fail "$1: not taken off: $(cat "$work/truth") $(jq -c '.overhead,
		(.functions_timing.data | map([.name, .total_ns]))' "$work/report")"
}

for mode in count freed live; do
	check "$mode"
done

# The quickest of some runs, without and with a recording: what that needs more is what it is said to cost.
run_both()
{
	rm -f "$work/plain" "$work/recorded" "$work/told"
	for _ in 1 2 3 4 5; do
		expect 0 env HOTPATH_OFF=1 "$work/alloc_cost" "$pairs"
		jq .cpu "$work/stdout" >> "$work/plain"
		record live
		jq .cpu "$work/truth" >> "$work/recorded"
		jq .overhead.estimated_ns "$work/report" >> "$work/told"
	done
}
least() { sort -n "$1" | head -n 1; }
check_cost()
{
	true=$(($(least "$work/recorded") - $(least "$work/plain")))
	told=$(least "$work/told")
	[ $((told * 2)) -ge "$true" ] || fail "told $told ns, the runs took $true ns more"
	[ "$told" -le $((true * 2)) ] || fail "told $told ns, the runs took $true ns more"
}
undisturbed check_cost run_both

# Where no function is measured, the first line tells it.
expect 0 "$HOTPATH" run --alloc "$HOTPATH" --version
says '| profiler ' "$work/stderr"

exit "$failed"
