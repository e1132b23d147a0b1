#!/bin/sh
# SPDX-License-Identifier: MIT
# However a program dies, the report shows every call that had ended, and those that were in progress.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"

killed=$BUILD/tests/reliability/killed
counts=$work/counts

# For every function at least the calls that the program counted, up to its end ("now") or to the moment
# when it decided to end ("before"), and at most one more for each thread. Three threads never leave their
# outermost call. The caller is there once, whether it ended or not.
problems='
	def row(name): [.functions_timing.data[] | select(.name == name)][0] // {calls: 0, open: 0};
	$own[0] as $own | $own[$since] as $least | . as $report |
	($least | keys[]) as $name | ($report | row($name).calls) as $calls |
	if $calls < $least[$name] or $calls > $own.now[$name] + $own.threads
	then "\($name): \($calls) calls, not \($least[$name]) to \($own.now[$name])"
	else empty end,
	(row("outer").open | select(. < 3 or . > 6) | "\(.) outermost calls in progress, not 3 to 6"),
	(row("run") | select(.calls + .open != 1) | "the caller: \(.calls) calls, \(.open) in progress"),
	(.exit | [.clean, .status, .signal, .running] | select(. != $exit) | "it ended: \(.)"),
	(select(.pid != $own.pid) | "the report of another process: \(.pid)")'

# check SINCE EXIT REPORT: the exit is clean, status, signal, running.
check()
{
	"$killed" counts "$counts" > "$work/own"
	jq -r --slurpfile own "$work/own" --arg since "$1" --argjson exit "$2" "$problems" "$3" \
		> "$work/wrong" 2>&1 || fail "$round: no report: $(cat "$3")"
	[ ! -s "$work/wrong" ] || fail "$round, $3: $(sort -u "$work/wrong")"
}

# live WAY NTH COMMAND...: run it, and kill it if that is the way; leaves $status.
live()
{
	way=$1 nth=$2
	shift 2
	rm -f "$counts"
	: > "$counts"
	"$@" "$killed" run "$counts" "$way" > "$work/stdout" 2> "$work/stderr" &
	child=$!
	case $way in
	KILL | TERM) "$killed" strike "$counts" "$way" "$nth" ;;
	esac
	status=0
	wait "$child" 2> /dev/null || status=$?
	quiet "$work/stdout"
}

# under_run WAY NTH STATUS EXIT: what the shell sees, and what the report says of it.
under_run()
{
	round="run, $1 $2"
	live "$1" "$2" "$HOTPATH" run --format json
	[ "$status" = "$3" ] || fail "$round: status $status, not $3"
	check now "$4" "$work/stderr"
}

# alone WAY NTH STATUS SINCE EXIT
alone()
{
	round="alone, $1 $2"
	live "$1" "$2" env HOTPATH_OUTPUT_FORMAT=json
	[ "$status" = "$3" ] || fail "$round: status $status, not $3"
	pid=$("$killed" counts "$counts" | jq .pid)
	"$HOTPATH" report --format json "$pid" > "$work/by_pid" || fail "$round: no report of $pid"
	check "$4" "$5" "$work/by_pid"
}

# Ways on which it stops recording and prints its report itself, while threads run on.
for way in exit return; do
	under_run "$way" 0 7 '[true, 7, null, false]'
	alone "$way" 0 7 before '[true, 7, null, false]'
	# When main returns, its status is not known yet.
	known=$([ "$way" = exit ] && echo 7 || echo null)
	check before "[true, $known, null, false]" "$work/stderr"
done

# Ways on which it says nothing; and when it was alone, nobody was there to see its status. The program that it executes ends cleanly,
# which counts for a run.
for way in quick_exit _exit exec; do
	clean=$([ "$way" = quick_exit ] && echo true || echo false)
	under_run "$way" 0 7 "[$([ "$way" = exec ] && echo true || echo "$clean"), 7, null, false]"
	alone "$way" 0 7 now "[$clean, null, null, false]"
	quiet "$work/stderr"
done

# By a signal: its own, or from outside at any moment.
for nth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	case $nth in
	1) way=abort number=6 ;;
	2) way=segv number=11 ;;
	3) way=TERM number=15 ;;
	*) way=KILL number=9 ;;
	esac
	under_run "$way" "$nth" $((128 + number)) "[false, null, $number, false]"
	alone "$way" "$nth" $((128 + number)) now '[false, null, null, false]'
	quiet "$work/stderr"
done

# The newest report is its, and a table for people.
"$HOTPATH" report --format json > "$work/newest"
check now '[false, null, null, false]' "$work/newest"
expect 0 "$HOTPATH" report "$pid"
grep -q '^\[hotpath\] .* | ended without exit$' "$work/stdout" || fail "$(cat "$work/stdout")"
says '| quick ' "$work/stdout"
live KILL 17 "$HOTPATH" run
[ "$status" = 137 ] || fail "killed: status $status"
grep -q '^\[hotpath\] .* | killed by SIGKILL$' "$work/stderr" || fail "$(cat "$work/stderr")"
says '| quick ' "$work/stderr"

exit "$failed"
