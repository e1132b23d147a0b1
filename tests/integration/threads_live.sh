#!/bin/sh
# SPDX-License-Identifier: MIT
# What is known of threads while they run; compared with what the kernel says of them.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

program=$BUILD/tests/programs/thread_times

# holds FILTER: true of the report.
holds()
{
	jq -e "$1" "$work/stdout" > "$work/jq" ||
		fail "not true: $1: $(cat "$work/jq") $(jq -c .threads "$work/stdout")"
}

# computed TID: nanoseconds, as the kernel counts them.
computed() { cut -d ' ' -f 1 "/proc/$running/task/$1/schedstat"; }

mkfifo "$work/input"
"$program" wait < "$work/input" > "$work/said" 2> "$work/own_report" &
running=$!
exec 3> "$work/input"
until grep -q '"main"' "$work/said"; do
	kill -0 "$running" || exit 1
	sleep 0.01
done
# It says so before it waits.
until [ "$(cut -d ' ' -f 3 "/proc/$running/stat")" = S ]; do sleep 0.01; done

# thread NAME: its number.
thread() { jq ".threads.data[] | select(.name == \"$1\").tid" "$work/stdout"; }

expect 0 "$HOTPATH" report --format json "$running"
spins=$(thread spins)
before=$(computed "$spins")
expect 0 "$HOTPATH" report --format json "$running"
after=$(computed "$spins")
holds "[.threads.data[] | select(.state != \"ended\").tid] | sort ==
	[$(printf '%s\n' "/proc/$running/task"/* | sed 's,.*/,,' | sort -n | paste -s -d ,)]"
holds '.threads.data | map({(.name): .state}) | add |
	[.main, .spins, .stays, .["a) S (b"], .user, .kernel] ==
	["sleeping", "running", "sleeping", "sleeping", "ended", "ended"]'
holds ".threads.data[] | select(.name == \"spins\") | .user_ns + .system_ns |
	. >= $before and . <= $after"
holds '.threads.data[] | select(.name == "spins") | .cpu_percent > 0 and .cpu_percent_max >= .cpu_percent and
	.cpu_percent_avg > 0 and .cpu_percent_max >= .cpu_percent_avg'
holds '.threads.data[] | select(.name == "stays") | .cpu_percent == 0 and .user_ns + .system_ns >= 1e8'
holds '.threads.data[] | select(.name == "user") | .cpu_percent == null'
holds '[.threads.data[] | .pid] | unique == ['"$running"']'
expect 0 "$HOTPATH" report --report threads "$running"
says 'Running' "$work/stdout"
says "PID: $running, RSS: " "$work/stdout"

# One that is stopped.
kill -STOP "$running"
until [ "$(cut -d ' ' -f 3 "/proc/$running/stat")" = T ]; do sleep 0.01; done
expect 0 "$HOTPATH" report --format json "$running"
holds '[.threads.data[] | select(.state != "ended").state] | unique == ["stopped"]'
kill -CONT "$running"

exec 3>&-
wait "$running"

# All is of one moment. A thread that always computes or queues does so for as long as it is there; it may have queued before it was
# recorded, so the report of its whole life says how much more that is. Processors that are busy with others make little of it less.
more='.threads.data[] | select(.name == "busy") | .user_ns + .system_ns + .queue_ns - .before_ns - .recorded_ns'
: > "$work/begun"
"$HOTPATH" run --cpu --waits --format json -o "$work/whole" -- "$BUILD/tests/programs/busy_until" < "$work/input" > "$work/begun" &
runs=$!
exec 3> "$work/input"
until grep -q busy "$work/begun"; do
	kill -0 "$runs" || exit 1
	sleep 0.01
done
for _ in 1 2 3; do
	sleep 0.2
	expect 0 "$HOTPATH" report --format json
	cp "$work/stdout" "$work/live"
	holds '.exit.running'
	jq "$more" "$work/live" >> "$work/mores"
done
exec 3>&-
wait "$runs"
jq "$more" "$work/whole" > "$work/wholly"
jq -s --slurpfile whole "$work/wholly" '([$whole[0], 0] | max) as $most | [.[] | . < $most + 3e7] | all' "$work/mores" > "$work/fits"
[ "$(cat "$work/fits")" = true ] ||
	fail "threads computed for longer than they were there, by $(paste -s -d ' ' "$work/mores") ns; in the end, $(cat "$work/wholly")"

exit "$failed"
