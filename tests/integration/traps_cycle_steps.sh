#!/bin/sh
# SPDX-License-Identifier: MIT
# Recording may start anew while a thread is at any instruction of a measured call.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	rm -rf "$work/cycles"
	mkdir "$work/cycles"
	what=cycle_steps
	limited "$programs/cycle_steps" "$work/cycles"
	[ "$status" != 77 ] || exit 77
	[ "$(fact cycles)" -gt 50 ] || fail "too few cycles: $(fact cycles)"
	cat "$work/cycles"/*.json > "$work/report"
	[ "$(wc -l < "$work/report")" = "$(fact cycles)" ] || fail 'not a report of each cycle'
	report '$row.measured.calls' | sort -n | uniq -c > "$work/calls"
	grep -qvE ' [56]$' "$work/calls" && fail "$clock: cycles by calls: $(cat "$work/calls")"
	grep -qE ' 5$' "$work/calls" || fail "$clock: cycles by calls: $(cat "$work/calls")"
done

# The other way round: a thread measures while recording starts or stops.
for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	for way in start stop; do
		rm -rf "$work/cycles"
		mkdir "$work/cycles"
		what="session_steps $way"
		limited "$programs/session_steps" "$way" "$work/cycles"
		[ "$(fact cycles)" -gt 50 ] || fail "$what: too few cycles: $(fact cycles)"
		cat "$work/cycles"/*.json > "$work/report"
		[ "$(wc -l < "$work/report")" = "$(fact cycles)" ] || fail "$what: reports are missing"
		holds '$row.caller.calls == 1 and $row.caller.open == 0 and $row.here.calls == 5'
		holds '$row.there.calls | . >= 5 and . <= 8'
	done
done

exit "$failed"
