#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums of what is exported are the totals of the report, for everything that can be exported, in every format.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

# total WHAT WANTED TITLE FIREFOX SPEEDSCOPE: each format of $work/report.json has this sum, flame graphs in their title; and the
# units are these.
total()
{
	what=$1 sum_wanted=$2 title=$3
	for format in folded firefox speedscope flamegraph; do
		expect 0 "$HOTPATH" export --what "$what" --format "$format" -o "$work/$format" "$work/report.json"
	done
	sum=$(awk '{ sum += $NF } END { printf "%.0f", sum }' "$work/folded")
	[ "$sum" = "$sum_wanted" ] || fail "$what: folded stacks have $sum, not $sum_wanted"
	gzip -dc < "$work/firefox" > "$work/firefox.json"
	says_json firefox.json '[.threads[].samples.weightType] | unique' "[\"$4\"]"
	sum=$(jq --arg type "$4" '[.threads[].samples.weight[]] | add | if $type == "tracing-ms" then . * 1e6 else . end | round' \
		"$work/firefox.json")
	[ "$sum" = "$sum_wanted" ] || fail "$what: firefox has $sum, not $sum_wanted"
	says_json speedscope '[.profiles[].unit] | unique' "[\"$5\"]"
	says_json speedscope '[.profiles[] | .weights[]] | add' "$sum_wanted"
	says_json speedscope '[.profiles[].endValue] | add' "$sum_wanted"
	says "$title" "$work/flamegraph"
}

# says_json FILE EXPRESSION WANTED
says_json()
{
	got=$(jq -c "$2" "$work/$1")
	[ "$got" = "$3" ] || fail "$what: $2 is $got, not $3"
}

# number EXPRESSION: of the report.
number() { jq "$1" "$work/report.json"; }

# Allocations and blocks that were not freed, of a report that was made by hand.
"$BUILD/tests/programs/made_profile" saved > "$work/report.json"
total alloc "$(number .functions_alloc.total_bytes)" 'made: 1.4 MB allocated, 20 blocks' bytes bytes
total live "$(number .memory_live.live_bytes)" 'made: 195.3 KB not freed, 3 blocks' bytes bytes

# The call tree of a program that has ended: times are the functions' own.
expect 0 env HOTPATH_OUTPUT_FORMAT=none "$BUILD/tests/programs/call_tree"
expect 0 "$HOTPATH" report --save "$work/report.json"
selves='[.call_tree.data[] | recurse(.children[]).self_ns] | add'
total time "$(number "$selves")" ' in measured functions, 54 calls' tracing-ms nanoseconds
for way in 'main_[m];a_[m];b_[m]' 'main_[m];c_[m];b_[m]' 'main_[m];even_[m];odd_[m];even_[m]' 'worker_[m];b_[m]'; do
	grep -qF "call_tree;$way " "$work/folded" || fail "no $way in: $(cat "$work/folded")"
done

# Killed in the midst of main: it is as wide as its time so far.
(
	trap '' CHLD
	env HOTPATH_OUTPUT_FORMAT=none "$BUILD/tests/programs/call_tree" killed > /dev/null 2>&1
) || true
expect 0 "$HOTPATH" report --save "$work/report.json"
expect 0 "$HOTPATH" export --what time --format folded -o "$work/folded" "$work/report.json"
main=$(number '.call_tree.data[] | select(.name == "main") | .open * .total_ns')
sum=$(awk '/^call_tree;main/ { sum += $NF } END { printf "%.0f", sum }' "$work/folded")
# Children's own times leave out what measuring them cost.
{ [ "$main" -gt 0 ] && [ "$sum" -le "$main" ] && [ "$sum" -ge $((main / 2)) ]; } || fail "main has $sum of its $main ns"

# Two reports are one file: their values are added up.
"$BUILD/tests/programs/made_profile" saved > "$work/report.json"
expect 0 "$HOTPATH" export --what live --format folded -o "$work/folded" "$work/report.json" "$work/report.json"
same 'made;main;parse.constprop.0_[m] 400000
made;main;walk;walk 48' "$work/folded"

exit "$failed"
