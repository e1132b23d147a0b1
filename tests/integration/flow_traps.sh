#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever happens to a program, what it told of channels, streams, futures and gauges is in a report: of each process and
# each session its own.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

export HOTPATH_REPORT=all

# flows: rows by name, as [sent, received, in it] and the like.
flows='([.channels.data[] | {(.name): [.sent_count, .received_count, .queue_size]}] | add) as $channel |
	([.streams.data[] | {(.name): .items_yielded}] | add) as $stream |
	([.futures.data[] | {(.name): [.call_count, .ended_count, .total_polls]}] | add) as $future |
	([.debug.data[] | {(.expression): .}] | add) as $value |'

# The child goes on with what its parent made; what it counts is its own.
by_tool "$programs/flow_traps" fork
nothing_lost
holds "$flows if .pid == $(fact child) then
		\$channel.jobs[:2] == [6, 5] and \$channel.own == [2, 1, 1] and \$stream.lines == 4 and
		\$future.work[2] == 2 and \$value.level.last_value == 2
	else
		\$channel == {jobs: [8, 4, 4]} and \$stream.lines == 3 and \$future.work == [1, 1, 4] and
		\$value.level.last_value == 4
	end"
[ "$(jq -s length "$work/report")" = 2 ] || fail "$what: not two reports"

# Sessions begin at zero, but for what is in a queue and what a gauge is.
mkdir "$work/reports"
what=sessions
expect 0 "$programs/flow_traps" sessions "$work/reports"
quiet "$work/stderr"
for number in 1 2 3; do
	cp "$work/reports/$number" "$work/report"
	nothing_lost
	case $number in
	1) expected='[7, 2, 5]' most=7 lines=3 level=1 ;;
	2) expected='[1, 3, 3]' most=6 lines=2 level=3 ;;
	3) expected='[1, 3, 1]' most=4 lines=2 level=6 ;;
	esac
	holds "$flows \$channel == {jobs: $expected} and \$stream == {lines: $lines} and
		\$future.work[2] == $number and \$value.level.last_value == $level and
		\$value.level.min == $level - $number + 1 and .channels.data[0].max_queue_size == $most and
		.channels.data[0].instances == 1"
done

# Of a program that is killed nothing is missing; four threads may be in the midst of a message each.
rm -f "$work/report"
expect 137 "$HOTPATH" run --format json --output-path "$work/report" -- "$programs/flow_traps" killed
cp "$work/stdout" "$work/truth"
what=killed
holds ".channels.data[0] | .sent_count >= $(fact sent) and
	(.sent_count - .received_count - .queue_size | fabs) <= 8"

by_itself "$programs/flow_traps" threads
nothing_lost
holds "$flows \$channel.jobs == [10000, 10000, 0] and \$stream.lines == 3000 and \$value.threads.last_value == 1000 and
	\$value.threads.log_count == 1000"

by_itself "$programs/flow_traps" timer
nothing_lost
holds "$flows \$channel.jobs == [$(fact each), $(fact each), 0] and \$stream.lines == $(fact each) and
	\$future.work[2] == $(fact each) and \$value.level.last_value == $(fact each) and
	\$value.level.log_count == $(fact each)"

# Switched off, there is nothing.
"$HOTPATH" list --clean > /dev/null
for case in fork threads; do
	HOTPATH_OFF=1 HOTPATH_OUTPUT_PATH="$work/none" expect 0 "$programs/flow_traps" "$case"
	quiet "$work/stderr"
done
[ ! -e "$work/none" ] || fail "switched off, there is a report: $(cat "$work/none")"
[ "$(find "$HOTPATH_DIR" -mindepth 1 | wc -l)" = 0 ] || fail 'switched off, there is a segment'

exit "$failed"
