#!/bin/sh
# SPDX-License-Identifier: MIT
# Channels, streams, futures and values over their lives: what is wrong is a counter, and memory stays what it is.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

export HOTPATH_REPORT=all

# lives CASE: with the shared library, or with a copy in the program that hands its work over to that.
lives()
{
	if [ "$way" = handed_over ]; then
		by_itself env LD_PRELOAD="$BUILD/src/library/libhotpath.so" "$programs/flow_lives_static" "$1"
	else
		by_itself "$programs/flow_lives" "$1"
	fi
}

for way in own handed_over; do
	lives wrong
	lost not_open "$(fact not_open)" ended_twice "$(fact ended_twice)"
	holds '[.channels.data[] | [.name, .state, .sent_count, .received_count, .queue_size]] ==
		[["closed", "closed", 0, 0, 0], ["freed", "active", 1, 0, 1], ["never closed", "active", 1, 0, 1]]'
	holds '[.streams.data[] | [.name, .state, .items_yielded, .yielded_bytes]] == [["stream", "closed", 1, 5]]'
	holds '[.futures.data[] | [.call_count, .cancelled_count, .total_polls]] == [[1, 0, 0]]'

	lives million
	holds "$(fact early_bytes) == $(fact late_bytes)"
	holds '.channels.data[] | select(.name == "request") |
		.instances == 1000000 and .closed_instances == 1000000 and .sent_count == 2000000 and
		.received_count == 2000000 and .max_queue_size == 2 and .sent_bytes == 7000000'
	holds '.channels.data[] | select(.name == "request").delay_sampled_count == 2000000'
	holds '.channels.data[] | select(.name == "left") | .instances == 70000 and .sent_count == 70000'
	lost queues "$(fact queues)"

	lives iter
	nothing_lost
	holds '.channels.data | length == 1001 and (map(.instances) | add) == 1500 and (map(.sent_count) | add) == 3000'
	holds '[.channels.data[] | select(.name == "each", .name == "each-2", .name == "each-1000").instances] == [1, 1, 1]'
	holds '.channels.data[] | select(.name == "<other>").instances == 500'
	HOTPATH_ENTRIES_LIMIT=3 lives iter
	holds '[.channels.data[].name] | sort == ["<other>", "each", "each-2", "each-3"]'

	lives oneshot
	lost not_open "$(fact not_open)" ended_twice "$(fact ended_twice)"
	holds '.channels.data[] | select(.name == "answer") | .channel_type == "oneshot" and .state == "notified" and
		.instances == 70000 and .closed_instances == 70000 and .received_count == 70000 and .queue_size == 0'
	holds '.channels.data[] | select(.name == "answer").delay_sampled_count == 70000'
	holds '[.channels.data[] | select(.name | startswith("kept")) | [.name, .state, .sent_count]] ==
		[["kept", "active", 0], ["kept-2", "notified", 1], ["kept-3", "closed", 0]]'

	lives values
	nothing_lost
	holds '.debug.data | map({key: .expression, value: .}) | from_entries |
		.sum.last_value == 1480000 and .sum.log_count == 1600000 and .sum.max >= 1480000 and .sum.min >= 0.5 and
		.level.last_value == 10 and .level.min == -7.5 and .level.max == 10 and .level.log_count == 8 and
		."i * i".last_value == 16 and ."i * i".log_count == 8 and .name.last_value == "eight" and
		.name.log_count == 2 and .pointer.value_kind == "pointer" and .nowhere.value_kind == "pointer"'

	lives several
	nothing_lost
	holds '[.debug.data[] | [.expression, .last_value, .log_count]] | sort == ([["n", 7, 2], ["both(i, 3)", 4, 2],
		["\"a, \\\"b\\\"\"", "a, \"b\"", 2], ["\u0027,\u0027", 44, 2], ["QUEUE_ROOM", 2048, 2],
		["(double)(i * 2.5)", 2.5, 2]] | sort)'

	# One of the 1000 has a literal for its key, which is no entry.
	lives keys
	nothing_lost
	holds '.debug.data | length == 1002 and (map(.log_count) | add) == 30021'
	holds '.debug.data[] | select(.expression == "key-3") | .log_count == 21'
	holds '.debug.data[] | select(.expression == "key-1000") | .last_value == 1000 and .log_count == 20'
	holds '.debug.data[] | select(.expression == "<other>") | .log_count == 20 * (1500 - 1001 + 1)'
	HOTPATH_ENTRIES_LIMIT=2 lives keys
	holds '[.debug.data[].expression] | sort == ["<other>", "key-0", "key-1", "key-3"]'
	HOTPATH_ENTRIES_LIMIT=2000 lives keys
	holds '.debug.data | length == 1501 and (map(select(.expression | startswith("kkkk")) | .expression) == ["k" * 127])'

	lives futures
	nothing_lost
	holds '.futures.data[0] | .call_count == 40 and .cancelled_count == 10 and .total_polls == 160 and
		.ended_count == 40 and .lifetime_sampled_count == 30'
	# What is measured inside of polls is inside of them.
	holds '[.call_tree.data[] | recurse(.children[]) | select(.name == "work" and .kind == "poll")] |
		map([.calls, [.children[].name]]) | sort == [[40, []], [120, ["inside"]]]'

	lives early
	lost early 10
	holds '.channels.data[0] | .sent_count == 10 and .received_count == 10 and .queue_size == 0'
done

# In a long queue one message stands for many: those that were not measured count as much as it did.
HOTPATH_PERCENTILES=50,95 by_itself "$programs/flow_lives" deep
nothing_lost
holds ".channels.data[0] | .sent_count == 200000 and .received_count == 200000 and .queue_size == 0 and
	.max_queue_size == $(fact most) and .delay_sampled_count > 198000 and .delay_sampled_count <= 200000"
for p in 50 95; do
	holds ".channels.data[0].delay_p${p}_ns | . > $(fact p${p}_low) * 0.98 and . < $(fact p${p}_high) * 1.02"
done

by_itself "$programs/flow_lives" over
nothing_lost
holds '[.channels.data[] | [.name, .queue_size, .max_queue_size]] == [["few", 5, 5], ["many", 0, 50]]'

by_itself "$programs/flow_lives" again
nothing_lost
holds '.channels.data[] | select(.name == "one").delay_sampled_count == 1000'

exit "$failed"
