#!/bin/sh
# SPDX-License-Identifier: MIT
# Measured functions that are left by the end of their thread or by an exception are counted.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	by_itself "$programs/leave_thread"
	agrees
	bounded 1
	adds_up 1
	holds ".dropped.abandoned == $(calls exits_thread) + $(calls waits_forever) + $(calls outer)"
	by_itself "$programs/leave_thread_unwinding"
	agrees
	bounded 1
	adds_up 1
	nothing_lost
done
unset HOTPATH_CLOCK

# The report comes when the last thread ends; with unwinding main has ended before that.
by_itself "$programs/leave_main"
agrees
by_tool "$programs/leave_main"
agrees

by_tool "$programs/cancel_first"
agrees
[ "$(fact survived) $(fact not_cancelled)" = '1 0' ] || fail 'cancelled at the wrong place'

for program in throw throw_unwinding; do
	[ -x "$programs/$program" ] || continue
	by_itself "$programs/$program"
	agrees
	bounded 1
	adds_up 1
	case $program in
	throw) holds ".dropped.abandoned == $(calls throw_through)" ;;
	*) nothing_lost ;;
	esac
done

exit "$failed"
