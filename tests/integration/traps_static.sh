#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs without a dynamic linker are measured the same.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

[ -x "$programs/static_jump_depths" ] || exit 77

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	by_itself "$programs/static_jump_depths"
	agrees
	bounded 1
	lost abandoned "$(fact jumped_over)"
	by_itself "$programs/static_leave_thread"
	agrees
	by_itself "$programs/static_signal_timer" heap-stack
	agrees
	nothing_lost
	by_itself "$programs/static_coroutine" thread
	agrees
	nothing_lost
	by_tool "$programs/static_fork_open" exit
	each_agrees
	by_tool "$programs/static_afterlife"
	agrees
	nothing_lost
	by_itself "$programs/static_many_threads" 1000 50
	agrees
	nothing_lost
done

exit "$failed"
