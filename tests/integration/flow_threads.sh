#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages are counted exactly, and so is what is in a queue; how long they took is what the program has seen itself.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

export HOTPATH_REPORT=all HOTPATH_PERCENTILES=50,95,99

# The counts and the queue, of the one channel.
is_right()
{
	nothing_lost
	holds ".channels.data | length == 1 and (.[0] | .name == \"jobs\" and .instances == 1 and
		.closed_instances == 1 and .state == \"closed\" and .sent_count == $(fact sent) and
		.received_count == $(fact received) and .queue_size == 0 and
		.max_queue_size == $(fact most) and .capacity == $1)"
	holds ".channels.data[0].sent_bytes == $(fact sent) * 4950 / 100"
	holds ".channels.data[0].delay_sampled_count == $(fact received)"
}

# Within one percent of the program's own record, and what its clock may be off.
takes_as_long()
{
	for p in 50 95 99; do
		holds ".channels.data[0].delay_p${p}_ns - $(fact "p$p") | fabs <= $(fact "p$p") * 0.01 + 200"
	done
	holds ".channels.data[0].full_ns - $(fact full) | fabs <= $(fact full) * 0.02 + $(fact times_full) * 300"
	holds ".channels.data[0] | .full_percent - .full_ns * 100 / .open_ns | fabs < 0.01"
	waited=$(($(fact sent) * 300))
	holds ".channels.data[0].send_waited_ns - $(fact send_waited) | fabs <= $(fact send_waited) * 0.02 + $waited"
	holds ".channels.data[0].waited_ns - $(fact receive_waited) | fabs <= $(fact receive_waited) * 0.02 + $waited"
}

# send MESSAGES SENDERS RECEIVERS CAPACITY
send()
{
	by_itself "$programs/flow_threads" "$@"
	is_right "$4"
}

# The program reads its clock after ours was read: others who compute may come between.
for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	undisturbed takes_as_long send 1000000 4 4 1000
	undisturbed takes_as_long send 200000 1 1 16
	undisturbed takes_as_long send 100000 2 1 4
done

exit "$failed"
