# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016,SC2034,SC2154
# What the tests of measured programs share: run one, and compare its report with what it knows.
#
# Sourced after expect.sh. A program prints "name calls" for each function that it measured, and
# "@name number" for what else it knows.
programs=$BUILD/tests/programs
# Every call is timed, whatever that costs.
export HOTPATH_LIMIT=0 HOTPATH_MAX_OVERHEAD=0

# by_itself PROGRAM...: it prints its own report. Leaves $work/truth and $work/report.
by_itself()
{
	what=$*
	rm -f "$work/report"
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" limited "$@"
}

# by_tool PROGRAM...: the tool reports, for each process that it and its children were.
by_tool()
{
	what="hotpath run $*"
	rm -f "$work/report"
	limited "$HOTPATH" run --each --no-cpu --format json --output-path "$work/report" -- "$@"
}

# A program that hangs fails, as does one that says what it was not asked for. Of one that failed the
# report is not looked at. Those that are interrupted at each instruction take seconds, and some times that on a busy machine.
limited()
{
	status=0 last_command=$* broken=
	timeout -s KILL 60 "$@" > "$work/truth" 2> "$work/stderr" || status=$?
	[ "$status" = 0 ] || fail "$what ends with $status: $(cat "$work/stderr")"
	quiet "$work/stderr"
	[ "$status" = 0 ] || broken=yes
}

# calls NAME, fact NAME: what the program said of it; a number in any case.
calls()
{
	number=$(sed -n "s/^$1 //p" "$work/truth")
	echo "${number:-0}"
}
fact() { calls "@$1"; }

# For whoever must find out what is wrong.
summary='($row // {} | map_values("\(.calls) calls, \(.open) open, \(.total_ns) ns, \(.self_ns) own")),
	(.dropped | with_entries(select(.value != 0)))'

# report FILTER: jq over the report, with $row the rows by name. Of several reports, an answer each.
report()
{
	jq -c "(.functions_timing.data // [] | map({(.name): .}) | add) as \$row | $1" \
		"$work/report"
}

# holds FILTER: true of every report.
holds()
{
	[ -z "$broken" ] || return 0
	[ "$(report "$1" | sort -u)" = true ] ||
		fail "$what: not so: $1: $(report "$summary" | head -n 9)"
}

# has CALLS: an object of calls by name, of one report: those and no other rows but the caller's.
has()
{
	[ -z "$broken" ] || return 0
	[ "$(jq -s length "$work/report")" = 1 ] || fail "$what: not one report"
	holds "\$row | map_values(select(.caller != true).calls) == $1"
}

# agrees: every row of the one report has as many calls as the program says, and none is missing.
agrees()
{
	has "$(sed -n 's/^\([^@ ][^ ]*\) \([0-9]*\)$/"\1": \2/p' "$work/truth" |
		grep -v ': 0$' | paste -sd, | sed 's/.*/{&}/')"
}

# each_agrees: of several processes, each has its own report, with as many calls as it says.
each_agrees()
{
	[ -z "$broken" ] || return 0
	grep '^{' "$work/truth" | jq -Scs 'map([.pid, .calls]) | sort | .[]' > "$work/expected"
	jq -Scs 'map([.pid, (.functions_timing.data // [] | map(select(.caller != true)
		| {(.name): .calls}) | add // {})]) | sort | .[]' "$work/report" > "$work/actual"
	cmp -s "$work/expected" "$work/actual" ||
		fail "$what: reported, not true: $(diff "$work/expected" "$work/actual" | head -n 9)"
}

# bounded THREADS: no call lasts longer than there was time, nor do they all on so many threads. The program times what is inside
# main, which may be interrupted before and after that.
bounded()
{
	holds ".elapsed_ns as \$whole | \$row | to_entries |
		all((if .key == \"main\" then \$whole else $(fact elapsed) end) as \$most | .value |
			.kind == \"span\" or .caller or (.self_ns <= .total_ns and
			.total_ns <= \$most * $1 * 1.01 and .max_ns <= \$most * 1.01))"
}

# adds_up THREADS: nor do their own times together; where each stack is used to its end, one by one.
adds_up()
{
	holds "\$row | map(select(.kind != \"span\" and .caller != true).self_ns) | add <=
		$(fact elapsed) * $1 * 1.01"
}

# nothing_lost: the report counts nothing that was not or wrongly measured.
nothing_lost() { holds '.dropped | all(. == 0)'; }

# lost NAME COUNT...: what the report counts so, and nothing else.
lost()
{
	expected=
	while [ $# -gt 0 ]; do
		expected="$expected${expected:+,}\"$1\":$2"
		shift 2
	done
	holds ".dropped | with_entries(select(.value != 0)) == {$expected}"
}
