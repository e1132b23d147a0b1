#!/bin/sh
# SPDX-License-Identifier: MIT
# Other threads, a fork and another session in the middle of it: nothing of what is another's is touched.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

export HOTPATH_REPORT=all

# What is sent meanwhile is counted with one of them, or not at all; who is late by a few does not make it many.
by_itself "$programs/flow_races" closing
holds '[.channels.data[] | [.name, .instances, .closed_instances]] | sort ==
	[["large", 120000, 120000], ["small", 120000, 120000]]'
holds '.channels.data | all(.queue_size == 0 and .max_queue_size < 1000)'

by_tool "$programs/flow_races" fork
[ "$(fact status)" = 0 ] || fail "the child ends with $(fact status)"
[ "$(jq -s length "$work/report")" = 2 ] || fail "not two reports"
nothing_lost
holds '[.channels.data[] | [.name, .sent_count, .queue_size]] | sort |
	. == [["inherited", 10, 10]] or . == [["inherited", 20, 0], ["own", 1, 1]]'
holds '[.futures.data[] | [.call_count, .ended_count]] == [[1, 0]]'

HOTPATH_OUTPUT_FORMAT=none limited "$programs/flow_races" sessions
expect 0 "$HOTPATH" report --calls work --format json
jq -e '[.events[] | [.state, .polls]] == [["pending", 0]]' "$work/stdout" > /dev/null ||
	fail "of another session: $(cat "$work/stdout")"
expect 0 "$HOTPATH" report --report streams --format json
jq -e '.streams.data == []' "$work/stdout" > /dev/null || fail "streams that are gone: $(cat "$work/stdout")"

HOTPATH_OUTPUT_FORMAT=none limited "$programs/flow_races" between
expect 0 "$HOTPATH" report --report channels,streams --format json
jq -e '[.channels.data[], .streams.data[] | [.instances, .closed_instances]] == [[5000, 5000], [1, 1]] and
	.dropped.queues == 0' "$work/stdout" > /dev/null || fail "closed between sessions: $(cat "$work/stdout")"

exit "$failed"
