#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath report --calls shows the log of channels, streams, futures and values.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

HOTPATH_OUTPUT_FORMAT=none "$BUILD/tests/programs/flow_log"

# log NAME FILTER: the JSON holds what is asked for.
log()
{
	expect 0 "$HOTPATH" report --calls "$1" --format json
	jq -e "$2" "$work/stdout" > /dev/null || fail "$1: not so: $2: $(head -c 600 "$work/stdout")"
}

# The newest first, fifty of them; what is queued has no delay.
log jobs '.type == "hotpath_events" and .kind == "channel" and (.events | length) == 50'
log jobs '[.events[].index] == [range(101; 51; -1)]'
log jobs '.events[0] | .message == "received" and .delay_ns > 0 and (.queued | not)'
log jobs '.events[1] | .message == "job 100" and .queued and .delay_ns == null and .bytes == 8'
log jobs '.events[3] | .message == "job 98" and (.queued | not) and .delay_ns != null and .tid > 0'
log jobs '[.events[1:][].ago_ns] | . == sort'
# Of each so many as the environment says, of the tool or else of the program.
HOTPATH_LOGS_LIMIT=3 log jobs '[.events[].index] == [101, 100, 99]'
HOTPATH_LOGS_LIMIT=64 log jobs '.events | length == 64'
HOTPATH_LOGS_LIMIT=2 log main '.calls | length == 1'
HOTPATH_LOGS_LIMIT=2 log step '.calls | length == 2'
HOTPATH_LOGS_LIMIT=64 log step '.calls | length == 64'
log step '.calls | length == 50'
HOTPATH_LOGS_LIMIT=65 expect 0 "$HOTPATH" report --calls step --format json
says "HOTPATH_LOGS_LIMIT: '65' is not a number from 0 to 64" "$work/stderr"
[ "$(wc -l < "$work/stderr")" = 1 ] || fail "not one line: $(cat "$work/stderr")"
# What was received long ago is not queued, though nobody knows how long it took.
log seldom '[.events[].message] == ["message 500", "message 0"]'
log seldom '[.events[].queued] == [false, false]'
log lines '.kind == "stream" and [.events[].message] == ["line\n3", "line\n2", "line\n1"]'
log fetch '.kind == "future" and [.events[].state] == ["suspended", "cancelled", "ready"]'
log fetch '[.events[].polls] == [3, 2, 1] and [.events[].result] == [null, null, 42]'
log fetch '[.events[].took_ns == null] == [true, false, false]'
log key '.kind == "val" and [.events[:3][].value] == ["even", "odd", "even"]'
log 'i * 2' '.kind == "dbg" and [.events[].value] == [6, 4, 2]'
log depth '.kind == "gauge" and .events[0].value == 1.5'
# However often it changes: the newest is what it is. When it has become slow, nearly every change is logged again.
log often '.events[0].value == 100000'
log bursts '[.events[].value] | .[0] == 120 and (map(select(. > 100)) | length) >= 16'

# As columns; a message is one line.
expect 0 "$HOTPATH" report --calls lines
[ "$(wc -l < "$work/stdout")" = 4 ] || fail "not four lines: $(cat "$work/stdout")"
says 'line?3' "$work/stdout"
expect 0 "$HOTPATH" report --calls jobs
says queued "$work/stdout"
expect 0 "$HOTPATH" report --calls fetch
says suspended "$work/stdout"
refuse 1 "nothing has been logged for 'quiet' yet" "$HOTPATH" report --calls quiet
refuse 1 "no function is named 'missing'" "$HOTPATH" report --calls missing
exit "$failed"
