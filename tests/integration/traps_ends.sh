#!/bin/sh
# SPDX-License-Identifier: MIT
# The caller, which is 100 %, is counted once, however and on whichever thread the program ends or stops.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
export HOTPATH_REPORT=auto,tree
unset HOTPATH_SHUTDOWN_MS HOTPATH_CPU

# took FACT: the caller took as long as the program says, and so did all of it.
took()
{
	holds "[.functions_timing.data[] | select(.caller)] | length == 1"
	holds ".elapsed_ns as \$all | .functions_timing.data[] | select(.caller) | .total_ns == \$all"
	holds ".elapsed_ns / $(fact "$1") | . > 0.9 and . < 1.5"
}

# ended: as one call.
ended()
{
	holds '.functions_timing.data[] | select(.caller) | .calls == 1 and .open == 0'
}

# tree_agrees: the caller is in the tree as often, and as long.
tree_agrees()
{
	holds '(.functions_timing.data[] | select(.caller)) as $caller
		| [.call_tree.data[] | recurse(.children[]) | select(.name == $caller.name)]
		| (map(.calls) | add) == $caller.calls and (map(.total_ns) | add) / $caller.total_ns < 1.01'
}

# On the main thread.
by_itself "$programs/ends" main
ended
took elapsed
tree_agrees
by_tool "$programs/ends" main
ended
took elapsed
tree_agrees
# On another one, while a measured function is open on main's: its time is not main's own.
for run in by_itself by_tool; do
	for way in exit shutdown; do
		[ "$way" = exit ] || export HOTPATH_SHUTDOWN_MS=300
		"$run" "$programs/ends" "$way"
		unset HOTPATH_SHUTDOWN_MS
		ended
		took elapsed
		tree_agrees
		holds '$row.waits.calls == 0 and $row.waits.open == 1'
		holds '.functions_timing.data[] | select(.caller) | .self_ns / .total_ns < 0.3'
	done
done

# What the other thread computes is not main's.
if ! command -v nm > /dev/null || ! nm "$programs/ends" | grep -q '_[at]san_init'; then
	export HOTPATH_CPU=1
	by_itself "$programs/ends" exit
	holds '.functions_cpu | .total_samples as $all | .data | map({(.name): .}) | add
		| .works.samples / $all > 0.5 and (.end_somehow.inclusive_samples // 0) / $all < 0.4'
	unset HOTPATH_CPU
fi

# Without a word: once too, but still open.
for way in quick _exit; do
	by_tool "$programs/ends" "$way"
	holds '.functions_timing.data[] | select(.caller) | .calls == 0 and .open == 1'
	took elapsed
done
what='killed'
rm -f "$work/report"
expect 137 "$HOTPATH" run --format json -o "$work/report" "$programs/ends" kill
mv "$work/stdout" "$work/truth"
holds '.functions_timing.data[] | select(.caller) | .calls == 0 and .open == 1'
took elapsed

# Sessions that another thread ends than began them.
expect 0 "$programs/ends" stop "$work/first" "$work/second"
quiet "$work/stderr"
mv "$work/stdout" "$work/truth"
for session in first second; do
	what="session $session" broken=
	cp "$work/$session" "$work/report"
	ended
	took "$session"
	tree_agrees
	holds '$row.works.calls == 1'
done
# What the first thread did in the first session was main's; in the second it was not.
cp "$work/first" "$work/report"
holds '.functions_timing.data[] | select(.caller) | .self_ns / .total_ns < 0.5'
holds '[.call_tree.data[] | select(.name == "main").children[].name] == ["works"]'
cp "$work/second" "$work/report"
holds '.call_tree.data | map(.name) | index("works") != null'

exit "$failed"
