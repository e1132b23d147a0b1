#!/bin/sh
# SPDX-License-Identifier: MIT
# A function that measures itself, and that the compiler measures, is one function.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

library=$BUILD/src/library
shared="-DHOTPATH_ENABLE=1 -L$library -lhotpath -Wl,-rpath,$library"
carried="-DHOTPATH_ENABLE=1 $library/libhotpath.a"

# once: no function has a row for each way to measure it.
once() { holds '.functions_timing.data | map(.name) | length == (unique | length)'; }

# values NAME: what its newest calls on one thread returned.
values() { "$HOTPATH" report --calls "$1" --format json | jq -c '[.calls[].returned]'; }

check()
{
	agrees
	all_closed
	nothing_lost
	once
	holds '$row | has("skipped") | not'
	holds '$row.label.kind == "block"'
}

for compiler in $compilers; do
	for level in -O0 -O2; do
		for with in "$shared" "$carried"; do
			[ "$compiler$level$with" != "clang-O0$carried" ] || continue
			# shellcheck disable=SC2086
			build "$compiler" "$level" functions_macros.c $with
			by_itself "$program"
			what="$built: functions_macros"
			check
			holds '$row.main | .calls == 1 and .caller'

			# The tool brings the shared library as well.
			traced
			check
			holds '$row.main.calls == 1'
			for name in returns only_returns; do
				[ "$(values "$name")" = "$(jq -nc '[range(499; 449; -1)]')" ] ||
					fail "$what: $name: $(values "$name")"
			done
			"$HOTPATH" list --clean > /dev/null

			by_itself "$program" start
			what="$built: functions_macros start"
			check
			holds '$row | has("starts") | not'
			holds '$row.main | .calls == 1 and .caller'
		done
	done
done

exit "$failed"
