#!/bin/sh
# SPDX-License-Identifier: MIT
# Nothing is recorded when nobody asks for it, or somebody asks for the opposite.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# silent COMMAND...: it ends well, says the same as ever, and leaves no segment and no report.
silent()
{
	rm -f "$work/report"
	HOTPATH_OUTPUT_PATH=$work/report expect 0 "$@"
	quiet "$work/stderr"
	grep -v '^@' "$work/stdout" > "$work/said"
	cmp -s "$work/said" "$work/usual" || fail "'$*' says: $(diff "$work/usual" "$work/said")"
	[ ! -e "$work/report" ] || fail "'$*' reports: $(cat "$work/report")"
	[ "$(find "$HOTPATH_DIR" -mindepth 1 | wc -l)" = 0 ] || fail "'$*' leaves a segment"
}

by_itself "$programs/jump_depths"
grep -v '^@' "$work/truth" > "$work/usual"
"$HOTPATH" list --clean > /dev/null
for off in 1 true yes on; do
	silent env HOTPATH_OFF=$off "$programs/jump_depths"
done

# Under the tool too: its report says that there is nothing.
HOTPATH_OFF=1 by_tool "$programs/jump_depths"
holds '[.functions_timing.data // []] | flatten == []'
[ "$(find "$HOTPATH_DIR" -mindepth 1 | wc -l)" = 0 ] || fail 'a segment under the tool'

# Without HOTPATH_MAIN it is the tool that asks.
by_tool "$programs/coroutine_jump"
grep -v '^@' "$work/truth" > "$work/usual"
"$HOTPATH" list --clean > /dev/null
silent "$programs/coroutine_jump"

# A folder that is not there is not made either.
HOTPATH_DIR=$work/missing
export HOTPATH_DIR
HOTPATH_OFF=1 expect 0 "$programs/many_threads" 10 2
expect 0 "$programs/coroutine_jump"
[ ! -e "$work/missing" ] || fail 'a folder was made'

exit "$failed"
