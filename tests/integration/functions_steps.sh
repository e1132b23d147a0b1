#!/bin/sh
# SPDX-License-Identifier: MIT
# At every single instruction of a hook a handler may call functions, or leave by siglongjmp.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

counted='([.functions_timing.data[] | select(.name | startswith("measured")).calls] | add)'

# The number is of instructions between two signals: a long way takes time by its square.
while read -r compiler level clock stride sites; do
	command -v "$compiler" > /dev/null || continue
	build "$compiler" "$level" functions_steps.c
	export HOTPATH_CLOCK="$clock"
	for stack in own other-stack; do
		traced "$stride" "$sites" "$stack"
		[ "$status" != 77 ] || exit 77
		[ "$(fact handled)" -gt 50 ] || fail "$what: too few signals"
		holds "$counted == $(fact completed)"
		holds "\$row.around.calls == $(fact around)"
		all_closed
		nothing_lost
	done

	# A call that is left while it begins or ends may count or not.
	traced "$stride" "$sites" jump
	[ "$(fact left)" -gt 50 ] || fail "$what: too few jumps"
	holds "$counted >= $(fact completed) and $counted <= $(fact begun)"
	holds "\$row.around.calls == $(fact around)"
	all_closed
	holds ".dropped.abandoned <= $(fact left)"
done << END
gcc -O2 counter 1 known
gcc -O0 counter 5 fresh
clang -O2 counter 2 known
gcc -O1 monotonic 3 known
END

exit "$failed"
