#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process has its own report, and what was open in the parent is not counted in a child.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# No segments but of the processes that measured something.
as_many_segments()
{
	segments=$("$HOTPATH" list --json | jq length)
	[ "$segments" = "$(grep -c '^{' "$work/truth")" ] || fail "$what: $segments segments"
	"$HOTPATH" list --clean > /dev/null
}

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	for way in exit _exit; do
		by_tool "$programs/fork_open" "$way"
		each_agrees
		nothing_lost
		holds '(.functions_timing.data // []) | all(.open == 0)'
		as_many_segments
	done
	by_tool "$programs/fork_threads"
	each_agrees
	nothing_lost
	holds '$row.deep | . == null or .total_ns <= $row.deep.max_ns * 1.01'
	as_many_segments
	by_tool "$programs/fork_other"
	each_agrees
	as_many_segments
done
unset HOTPATH_CLOCK

# A program that reports by itself does so once: its children have segments, which the tool can show.
by_itself "$programs/fork_open" exit
as_many_segments
grep '"operation"' "$work/truth" > "$work/parent"
mv "$work/parent" "$work/truth"
each_agrees

# A child may start for itself; if it does not, nothing it measures is anybody's.
mkdir "$work/reports"
expect 0 "$programs/fork_start" "$work/reports"
quiet "$work/stderr"
what=fork_start broken=
for report in before:100 parent:15 during:200 after:300; do
	cp "$work/reports/${report%:*}" "$work/report" || fail "no report ${report%:*}"
	has "{\"measured\": ${report#*:}}"
done

exit "$failed"
