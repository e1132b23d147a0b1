#!/bin/sh
# SPDX-License-Identifier: MIT
# What the section bottlenecks says of functions that wait for a disk, a socket, a pipe, or for work, is what their own stamps
# say; and to read a file that is in memory is computing.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"

# judged OPTIONS PROGRAM MODE [FILE]: leaves $work/report.
judged()
{
	options=$1 name="$*"
	rm -f "$work/report"
	program=$programs/$2
	shift 2
	# shellcheck disable=SC2086
	expect 0 timeout -s KILL 60 "$HOTPATH" run $options --report all --format json --limit 0 -o "$work/report" -- "$program" "$@"
	quiet "$work/stderr"
}

# holds FILTER: of the report; $wall and $wait are the program's stamps, $queue is the queueing time of all threads.
wall=0 wait=0
holds()
{
	[ "$(jq --argjson wall "$wall" --argjson wait "$wait" 'def row(name): .bottlenecks.data[] | select(.name == name);
		([.threads.data[].queue_ns] | add) as $queue | '"$1" "$work/report")" = true ] ||
		fail "$name: not so: $1, with $wall and $wait, in $(jq -c '.bottlenecks, .waits.data, .io.data, .threads.data' "$work/report")"
}

# check_wait FUNCTION VERDICT REASON SENTENCE: its share by both clocks, but for a few percent, and for queueing. It must be
# the verdict only if the machine left it at that; without one, input and output may not be known.
check_wait()
{
	wall=$(own wall_ns) wait=$(own wait_ns)
	unknown='(.verdict == null and .'$2'_ns == null)'
	holds 'row("'"$1"'") | .'"$2"'_ns < $wait + $wall * 0.05'
	holds 'row("'"$1"'") | '"$unknown"' or .'"$2"'_ns + $queue > $wait - $wall * 0.1'
	holds 'row("'"$1"'") | '"$unknown"' or .waits_for.reason == "'"$3"'"'
	holds '$wait - $queue < $wall * 0.7 or row("'"$1"'").verdict == "'"$2"'"'
	holds '$wait - $queue < $wall * 0.7 or (.bottlenecks.summary | map(test("^'"$1 $4"'$")) | any)'
}

share='[0-9]+ % of its [0-9.]+ .?s'
check_poll() { check_wait serve idle poll "is idle for $share, mostly in poll"; }
check_condition() { check_wait consume idle condition "is idle for $share, mostly waiting for condition filled"; }
check_disk() { check_wait save_order disk disk "waits $share for the disk, .*ly in [a-z]+ of .*orders.db"; }
check_network() { check_wait handle network network "waits $share for the network, mostly to receive from .*"; }
check_pipe() { check_wait take_line pipe pipe "waits $share for pipes and terminals, mostly in read of .*"; }

for options in '--waits --cpu' '--waits --no-cpu'; do
	undisturbed check_poll judged "$options" wait_verdicts poll
	undisturbed check_condition judged "$options" wait_verdicts condition
	undisturbed check_network judged "$options" wait_verdicts network
	undisturbed check_pipe judged "$options" wait_verdicts pipe
	undisturbed check_disk judged "$options" wait_verdicts disk "$work/orders.db"
done

# On any machine.
judged '--waits --cpu' wait_verdicts cached "$work/orders.db"
holds 'row("read_again").verdict | . == "cpu" or . == "starved"'
holds 'row("read_again") | .disk_ns < .wall_ns / 10'
judged '--waits --no-cpu' wait_verdicts cached "$work/orders.db"
holds 'row("read_again") | .verdict == null and .disk_ns == null'

exit "$failed"
