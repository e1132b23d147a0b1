#!/bin/sh
# SPDX-License-Identifier: MIT
# What goes through GAsyncQueues is what the program counted itself.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/glib_common.sh"

# Eight threads, and a million messages.
measure glib_queues many
equals 1 '.channels.data | length'
equals "$(own sent)" '.channels.data[0].sent_count'
equals "$(own received)" '.channels.data[0].received_count'
equals '["GAsyncQueue many",1,"closed",0,0]' \
	'.channels.data[0] | [.name, .instances, .state, .queue_size, .sent_bytes]'
equals 0 '[.dropped[]?] | add // 0'

# One thread sends, another receives: how many are in it is known at each moment.
measure glib_queues depth
equals "$(own most)" '.channels.data[0].max_queue_size'
equals "$(own left)" '.channels.data[0].queue_size'
equals '"active"' '.channels.data[0].state'

# Every function that sends or receives. Who waited, waited as long as the program saw; and the message no longer
# than that.
measure glib_queues functions
equals "$(own sent)" '.channels.data[0].sent_count'
equals "$(own received)" '.channels.data[0].received_count'
equals "$(own left)" '.channels.data[0].queue_size'
equals 309 '.channels.data[0].max_queue_size'
equals '"GAsyncQueue functions"' '.channels.data[0].name'
holds --argjson us "$(own waited_us)" '.channels.data[0].waited_ns | . >= $us * 900 and . > 10000000'

# Names of the program's own; and what has none is known by who made it.
measure glib_queues labels
equals '[["jobs",true,7,0,1],["results",true,1,1,1],["unused",true,0,0,1],["GAsyncQueue make_queue",false,3,0,1]]' \
	'[.channels.data[] | [.name, .has_custom_label, .sent_count, .received_count, .instances]]'
equals '["active","closed","active","active"]' '[.channels.data[].state]'

# Two of one function are told apart by the lines on which they were made; or, without lines, by a number.
source=$(dirname "$0")/../programs/glib_queues.c
line() { grep -n "the $1 line" "$source" | cut -d: -f1; }
measure glib_queues twice
equals "[[\"GAsyncQueue twice:$(line first)\",1],[\"GAsyncQueue twice:$(line second)\",2]]" \
	'[.channels.data[] | [.name, .sent_count]] | sort'
objcopy -g "$programs/glib_queues" "$work/glib_queues"
expect 0 "$HOTPATH" run --probes=glib --format json --limit 0 -o "$work/report" -- "$work/glib_queues" twice
equals '[["GAsyncQueue twice #1",1],["GAsyncQueue twice #2",2]]' '[.channels.data[] | [.name, .sent_count]] | sort'

# One after the other, in the same memory most likely.
measure glib_queues made
equals "[$(own made),$(own made),\"closed\"]" '.channels.data[0] | [.instances, .closed_instances, .state]'
equals 1 '.channels.data[0].max_queue_size'

# A child has a report of its own, and what it does with the queue of its parent is in it.
measure glib_queues forked
[ "$(jq -s -c 'map(.channels.data | map(.sent_count) | add) | sort' "$work/report")" = '[5,11]' ] ||
	fail "$name: $(reports .channels)"

# Without anybody who records, the probe does nothing.
probe=$BUILD/src/probes/glib/libhotpath-glib.so
expect 0 env HOTPATH_OFF=1 LD_PRELOAD="$probe" "$programs/glib_queues" depth
quiet "$work/stderr"

# In a program that has nothing of GLib it does nothing either; in one that uses it, it records.
expect 0 env LD_PRELOAD="$probe" bash -c 'echo here'
same here "$work/stdout"
quiet "$work/stderr"
expect 0 env LD_PRELOAD="$probe" "$programs/glib_queues" made
says 'GAsyncQueue made' "$work/stderr"
expect 0 env LD_PRELOAD="$probe" "$programs/glib_queues" twice
says 'GAsyncQueue twice #2' "$work/stderr"

exit "$failed"
