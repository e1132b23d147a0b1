#!/bin/sh
# SPDX-License-Identifier: MIT
# Signal handlers measure, whatever they interrupt, and every call is counted.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	for stack in own-stack heap-stack local-stack; do
		by_itself "$programs/signal_timer" "$stack"
		agrees
		bounded 1
		[ "$stack" != own-stack ] || adds_up 1
		nothing_lost
	done
	by_tool "$programs/signal_first"
	agrees
	nothing_lost
	by_itself "$programs/signal_threads"
	bounded 5
	adds_up 5
	holds "\$row.shared.calls + .dropped.signals == $(fact shared)"
	holds '.dropped | del(.signals) | all(. == 0)'
done

exit "$failed"
