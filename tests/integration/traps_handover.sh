#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that carries the library, and is given the shared one too, is recorded once.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

shared=$BUILD/src/library/libhotpath.so

one_segment()
{
	segments=$("$HOTPATH" list --json | jq length)
	[ "$segments" = 1 ] || fail "$what: $segments segments"
	"$HOTPATH" list --clean > /dev/null
}

# exported: the program shows its copies of the library's functions to the shared one.
for program in carries_static carries_exported; do
	by_itself "$programs/$program"
	agrees
	one_segment
	by_itself env LD_PRELOAD="$shared" "$programs/$program"
	agrees
	bounded 2
	lost abandoned "$(fact jumped_over)"
	one_segment
	by_tool env LD_PRELOAD="$shared" "$programs/$program"
	agrees
	"$HOTPATH" report --calls logged --format json > "$work/logged"
	jq -e '.calls | length == 50 and all(.returned | type == "number")' "$work/logged" \
		> /dev/null || fail "$what: logged: $(cat "$work/logged")"
	one_segment
	HOTPATH_CLOCK=monotonic by_tool env LD_PRELOAD="$shared" "$programs/$program"
	agrees
	one_segment
done

# And so is a program that is linked to the shared one and has it preloaded as well.
by_itself env LD_PRELOAD="$shared" "$programs/jump_depths"
agrees
one_segment

exit "$failed"
