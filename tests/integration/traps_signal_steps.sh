#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal handler may measure, or leave by siglongjmp, at every single instruction of a measured call.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

counted='([.functions_timing.data[] | select(.name == "measured").calls] | add)'

# The first number is of instructions between two signals: a long way takes time by its square.
while read -r clock stride sites; do
	export HOTPATH_CLOCK="$clock"
	by_itself "$programs/signal_steps" "$stride" "$sites"
	[ "$status" != 77 ] || exit 77
	[ "$(fact handled)" -gt 50 ] || fail "$what: too few signals"
	holds "$counted == $(fact completed)"
	holds "\$row.around.calls == $(fact around)"
	holds '[.functions_timing.data[] | .open == 0] | all'
	nothing_lost

	# A call that is left while it begins or ends may count or not.
	by_itself "$programs/signal_steps" "$stride" "$sites" jump
	[ "$(fact left)" -gt 50 ] || fail "$what: too few jumps"
	holds "$counted >= $(fact completed) and $counted <= $(fact begun)"
	holds "\$row.around.calls == $(fact around)"
	holds '[.functions_timing.data[] | .open == 0] | all'
	holds ".dropped.abandoned <= $(fact left)"
done << END
counter 1 known
counter 3 fresh
monotonic 3 known
END

exit "$failed"
