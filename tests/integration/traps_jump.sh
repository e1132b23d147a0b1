#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls that are left by longjmp are counted, and what is measured after them is right.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	by_itself "$programs/jump_depths"
	agrees
	bounded 1
	adds_up 1
	lost abandoned "$(fact jumped_over)"
	holds '$row.round_of_jumps.total_ns >= $row.dive.total_ns'

	by_itself "$programs/jump_signal" own-stack
	agrees
	bounded 1
	adds_up 1
	lost abandoned "$(fact jumped_over)"

	# What was left on another stack is found when that stack is used again, so the last is not.
	by_itself "$programs/jump_signal" other-stack
	bounded 1
	holds "\$row.handler | .open <= 1 and .calls + .open == $(calls handler)"
	holds "\$row | .raiser.calls == $(calls raiser) and .after.calls == $(calls after)"
done
unset HOTPATH_CLOCK

# Two blocks in turn do not pile up.
by_itself "$programs/jump_blocks"
agrees
bounded 1
adds_up 1
lost abandoned "$(fact jumped_over)"

# At any instruction.
by_itself "$programs/jump_timer"
bounded 1
adds_up 1
holds "\$row.after.calls == $(calls after)"
holds "\$row.around.calls == $(calls around)"
holds '$row | all(.open == 0)'
holds "\$row.inner.calls | . >= $(fact returned) and . <= $(fact made)"

exit "$failed"
