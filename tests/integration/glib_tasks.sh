#!/bin/sh
# SPDX-License-Identifier: MIT
# GTasks are futures, with what became of them. The program checks itself that its tasks are what they were.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/glib_common.sh"

measure glib_tasks
equals '["GTask make","GTask was_called"]' '[.futures.data[].name] | sort'
equals "$(own made)" '[.futures.data[].call_count] | add'
equals "$(own made)" '[.futures.data[].ended_count] | add'
equals "$(own cancelled)" '[.futures.data[].cancelled_count] | add'
equals $(($(own made) - $(own cancelled))) '[.futures.data[].lifetime_sampled_count] | add'
# A task is at work in its callback, and in a thread.
equals $(($(own called) + $(own served))) '[.futures.data[].total_polls] | add'
equals "$(own called)" '.futures.data[] | select(.name == "GTask was_called").call_count'
# Each slept for a millisecond.
holds --argjson served "$(own served)" '.futures.data |
	(map(.total_service_ns) | add) >= $served * 1000000 and all(.[]; .total_queue_ns > 0)'
holds '[.futures.data[] | .total_poll_duration_ns >= .total_service_ns * 0.9] | all'
equals 0 '[.dropped[]?] | add // 0'

exit "$failed"
