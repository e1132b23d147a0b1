#!/bin/sh
# SPDX-License-Identifier: MIT
# Whoever looks at a running program sees whole reports, in which calls only grow.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"

killed=$BUILD/tests/reliability/killed
: > "$work/counts"
HOTPATH_OUTPUT_FORMAT=none "$killed" run "$work/counts" KILL > "$work/stdout" 2> "$work/stderr" &
child=$!
on_exit='kill -KILL "$child" 2> /dev/null'
until [ -s "$work/counts" ] && pid=$("$killed" counts "$work/counts" | jq -e 'select(.pid > 0).pid') &&
	"$HOTPATH" report "$pid" > "$work/first" 2>&1; do
	kill -0 "$child" || exit 1
done

# One report after the other, each with the program's own counts from before and after it.
number=0
while [ "$number" -lt 200 ]; do
	"$killed" counts "$work/counts" >> "$work/own"
	"$HOTPATH" report --format json --limit 0 --percentiles 0,1,50,95,99.9,100 "$pid" >> "$work/reports" ||
		fail "no report $number"
	number=$((number + 1))
done
"$killed" counts "$work/counts" >> "$work/own"

# A report is one line: if any is no JSON, all of this fails.
[ "$(wc -l < "$work/reports")" = 200 ] || fail "$(wc -l < "$work/reports") lines, not 200"
jq -s -r --slurpfile own "$work/own" '
	. as $reports | range(length) as $i | $reports[$i] as $report |
	"report \($i)" as $where |
	(select($report.exit.running | not) | "\($where): not running"),
	($report.functions_timing.data[] | "\($where), \(.name)" as $where | . as $row |
		([$reports[$i - 1].functions_timing.data[] | select(.name == $row.name)][0] //
			{calls: 0, total_ns: 0}) as $last |
		(select($i > 0 and .calls < $last.calls) |
			"\($where): \(.calls) calls after \($last.calls)"),
		(select($own[$i].now[.name] and (.calls < $own[$i].now[.name] or
			.calls > $own[$i + 1].now[.name] + 6)) |
			"\($where): \(.calls) calls, not \($own[$i].now[.name]) to \($own[$i + 1].now[.name])"),
		(select(.calls > 0) | [.min_ns, .p0_ns, .p1_ns, .p50_ns, .p95_ns, ."p99.9_ns", .p100_ns, .max_ns] |
			select(. != sort) | "\($where): percentiles \(.)"),
		(select(.calls > 0) | select(.min_ns > .avg_ns or .avg_ns > .max_ns) |
			"\($where): the average \(.avg_ns) is not between \(.min_ns) and \(.max_ns)"),
		(select(.self_ns > .total_ns) | "\($where): self \(.self_ns) of \(.total_ns)"),
		(select(.total_ns > $report.elapsed_ns * 7) | "\($where): more than all threads")),
	(select([$report.dropped[]] | add > 0) | "\($where): dropped \($report.dropped)")
	' "$work/reports" > "$work/wrong" || fail 'a report that is no JSON'
[ ! -s "$work/wrong" ] || fail "$(sort "$work/wrong" | head -20)"

# Looking left no trace in it.
kill -KILL "$child"
wait "$child" 2> /dev/null || true
quiet "$work/stdout"
quiet "$work/stderr"

exit "$failed"
