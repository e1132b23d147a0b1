#!/bin/sh
# SPDX-License-Identifier: MIT
# Recording can be started and stopped at any time: each report is of its own time alone.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# cycles COUNT THREADS: compare each report with the line of its cycle.
cycles()
{
	rm -rf "$work/cycles"
	mkdir "$work/cycles"
	expect 0 timeout -s KILL 20 "$programs/cycles" "$work/cycles" "$1" "$2"
	quiet "$work/stderr"
	number=0
	while [ "$number" -lt "$1" ]; do
		echo "$work/cycles/$number.json"
		number=$((number + 1))
	done | xargs cat > "$work/reports"
	[ "$(wc -l < "$work/reports")" = "$1" ] || fail "not $1 reports"
	jq -nc --slurpfile truth "$work/stdout" --slurpfile report "$work/reports" '
		range($truth | length) as $i | $truth[$i] as $true | $report[$i] |
		(.functions_timing.data | map({(.name): .calls}) | add) as $calls |
		($calls.elsewhere // 0) as $elsewhere |
		select(.caller != $true.caller or $calls[$true.caller] != 1 or
			($calls.here // 0) != $true.here or
			$elsewhere < $true.least or $elsewhere > $true.most) |
		[$i, $true, $calls]' > "$work/wrong"
	[ ! -s "$work/wrong" ] ||
		fail "$(wc -l < "$work/wrong") of $1 cycles with $2 threads are wrong: $(head -n 3 "$work/wrong")"
}

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	cycles 1000 0
	cycles 300 8
done
unset HOTPATH_CLOCK

# One warning, whatever else is started meanwhile, and the options of the first start.
HOTPATH_LIMIT='' expect 0 "$programs/options" "$work/report"
[ "$(cat "$work/stderr")" = 'hotpath: started while already recording: this start does nothing' ] ||
	fail "not one warning: $(cat "$work/stderr")"
what=options broken=
holds '.caller == "the_caller"'
holds '.functions_timing | .percentiles == [50, 99.9] and .total_count == 4 and .included_count == 2'
holds '.functions_timing.data[0] | has("p50_ns") and has("p99.9_ns")'
holds '$row.the_caller.calls == 1 and .functions_timing.data[0].name == "the_caller"'

# Threads that all start and stop at once: every round is one session, and the warning comes once.
what=start_race
HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH=$work/report \
	expect 0 timeout -s KILL 20 "$programs/start_race"
cp "$work/stdout" "$work/truth"
[ "$(cat "$work/stderr")" = 'hotpath: started while already recording: this start does nothing' ] ||
	fail "not one warning: $(cat "$work/stderr")"
[ "$(fact stopped)" = "$(fact rounds)" ] || fail "$(fact stopped) stops in $(fact rounds) rounds"
agrees
holds '$row.main | .calls == 1 and .open == 0'

exit "$failed"
