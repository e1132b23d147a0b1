# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154
# What the tests of functions that the compiler measures share: programs, built in every way.
#
# Sourced after traps_common.sh. The programs know nothing of libhotpath. Their functions have hooks or sleds, as the test is told.
# With sleds, a function that is inlined has no calls; nor has one that never returns. A test lists those as `unseen`.
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
sources=$source_folder/tests/programs
instrumented="-std=gnu11 -D_GNU_SOURCE -I$source_folder/include -w -pthread"
# Copies of functions for some of their arguments have other names.
no_copies='-fno-ipa-cp -fno-ipa-sra -fno-ipa-icf'
unseen=${unseen:-} hooks='' cc=''
how=${1:-hooks}
if [ "$how" = sleds ]; then
	instrumented="$instrumented -fno-inline" cc="$HOTPATH cc"
else
	instrumented="$instrumented -finstrument-functions" unseen='' hooks=--hooks
fi
# The call tree is there with every report.
export HOTPATH_REPORT=auto,tree
compilers=
for compiler in gcc clang; do
	! command -v "$compiler" > /dev/null || compilers="$compilers $compiler"
done

# build COMPILER OPTIONS SOURCE...: leaves the program as $program.
build()
{
	compiler=$1 options=$2
	shift 2
	program=$work/$(basename "$1" .c)
	rm -f "$program"
	[ "$compiler" != gcc ] || options="$options $no_copies"
	# shellcheck disable=SC2086
	(cd "$sources" && $cc "$compiler" $instrumented $options "$@" -o "$program" -ldl) ||
		fail "$compiler $options $*: does not compile"
	built="$compiler $options"
}

# traced ARGUMENT...: run it under the tool.
traced()
{
	by_tool "$program" "$@"
	what="$built: $(basename "$program") $*"
	forget_unseen
}

# forget_unseen: the program need not have told of them.
forget_unseen()
{
	for name in $unseen; do
		sed -i "/^$name [0-9]*$/d; s/\"$name\": *[0-9]*,* *//" "$work/truth"
	done
	sed -i 's/, *}/}/' "$work/truth"
}

# lost_left: calls that were left by longjmp are counted so, and nothing else. Of those that are unseen, it is not known how many.
lost_left()
{
	if [ -n "$unseen" ]; then
		holds '.dropped | del(.abandoned) | all(. == 0)'
	else
		lost abandoned "$(fact left)"
	fi
}

# accounted: calls that never ended are open, and none is missing.
accounted()
{
	holds "\$row | map_values(.calls + .open) == $(sed -n 's/^\([^@ ][^ ]*\) \([0-9]*\)$/"\1": \2/p' \
		"$work/truth" | grep -v ': 0$' | paste -sd, | sed 's/.*/{&}/')"
}

# each_accounted: the same of several processes, each with a report of its own.
each_accounted()
{
	[ -z "$broken" ] || return 0
	grep '^{' "$work/truth" | jq -Scs 'map([.pid, .calls]) | sort | .[]' > "$work/expected"
	jq -Scs 'map([.pid, (.functions_timing.data // [] | map({(.name): (.calls + .open)}) | add // {})])
		| sort | .[]' "$work/report" > "$work/actual"
	cmp -s "$work/expected" "$work/actual" ||
		fail "$what: reported, not true: $(diff "$work/expected" "$work/actual" | head -n 9)"
}

# tree_agrees: of each function, its branches have as many calls together as its row.
tree_agrees()
{
	holds '[.call_tree.data[] | recurse(.children[])] | group_by(.name)
		| map({(.[0].name): (map(.calls) | add)}) | add | del(.["<other>"]) ==
		($row | map_values(.calls))'
}

all_closed() { holds '$row | all(.open == 0)'; }
