#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that were not selected have no row and cost the others nothing; what they call is there.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# selected RULES: with these, and every compiler.
selected()
{
	program=$work/functions_selection built="$compiler $*"
	# shellcheck disable=SC2086
	"$HOTPATH" cc "$@" $compiler -O1 $instrumented "$sources/functions_selection.c" -o "$program" ||
		fail "$built: does not compile"
	traced
}

# right: as the program says, whose times are inside of each other.
right()
{
	agrees
	all_closed
	adds_up 1
}

# without NAME...: everything but these.
without()
{
	for name; do
		sed -i "/^$name /d" "$work/truth"
	done
	right
}

# called_by NAME CALLER: by nobody else.
called_by()
{
	"$HOTPATH" report --callers "$1" --format json > "$work/callers"
	jq -e ".callers | map(.name) == [\"$2\"]" "$work/callers" > /dev/null ||
		fail "$what: $1 is called by $(jq -c .callers "$work/callers")"
}

# jumped NUMBER: of the functions that are left by a jump, so many are measured.
jumped() { lost abandoned "$((100 * $1))"; }

for compiler in $compilers; do
	selected
	right
	jumped 2
	selected --skip between
	without between
	jumped 1
	# What the one between calls is inside of the one around.
	called_by leaf around
	selected --skip 'b*' --skip 'tiny_*'
	without between tiny_add
	jumped 1
	selected --only leaf --only main
	without between tiny_add around
	nothing_lost
	called_by leaf main
	selected --only '*a*' --skip main
	without between main
	jumped 1
	# Hooks are part of a function, sleds are not.
	[ "$how" = hooks ] || selected --only 'none*'
	size=$(nm -S "$program" | sed -n 's/.* 0*\([0-9a-f]*\) [tT] tiny_add$/\1/p')
	selected --min-size "$((0x$size + 1))"
	without tiny_add
	jumped 2
	selected --min-size "$((0x$size))"
	right
	selected --only 'none*'
	holds '.functions_timing.data // [] | . == []'
done

# A static program as well.
compiler='gcc -static'
selected --skip between
without between
jumped 1

exit "$failed"
