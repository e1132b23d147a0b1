#!/bin/sh
# SPDX-License-Identifier: MIT
# The call tree of a program is the one it has, in every form in which it is shown.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

program=$BUILD/tests/programs/call_tree

# Each way from the root, with the calls at its end.
ways='def ways($above): .[] | ($above + .name) as $here |
	"\($here) \(.calls)+\(.open)", (.children | ways($here + "/")); .call_tree.data | ways("")'
# tree FILE: sorted, since threads and small differences decide the order.
tree() { jq -r "$ways" "$1" | LC_ALL=C sort; }

# Totals hold what is in them, and nobody's own time is more than all of it.
sound='def sound: ([.children[].total_ns] | add // 0) <= .total_ns and .self_ns <= .total_ns and
	all(.children[]; sound); all(.call_tree.data[]; sound)'

whole='main 1+0
main/a 3+0
main/a/b 6+0
main/c 2+0
main/c/b 10+0
main/even 1+0
main/even/odd 2+0
main/even/odd/even 2+0
main/recursive 5+0
worker 2+0
worker/b 20+0'

# By itself and by the tool.
expect 0 env HOTPATH_REPORT=tree HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/own" "$program"
expect 0 "$HOTPATH" run --tree --format json -o "$work/report" "$program"
for report in own report; do
	tree "$work/$report" > "$work/tree"
	same "$whole" "$work/tree"
	jq -e "$sound" "$work/$report" > /dev/null || fail "$report is not sound"
	jq -e '.call_tree.data[] | select(.name == "main").percent_total | . > 99 and . < 101' \
		"$work/$report" > /dev/null || fail "main is not 100 % in $report"
done
expect 0 env HOTPATH_REPORT=auto,tree "$program"
says 'timing - ' "$work/stderr"
says 'tree - ' "$work/stderr"
expect 0 env HOTPATH_REPORT=auto "$program"
grep -q '^tree - ' "$work/stderr" && fail 'the tree is shown unasked'

# The tree agrees with the table: calls of a function are those of its branches.
jq -r '.functions_timing.data[] | "\(.name) \(.calls)"' "$work/report" | LC_ALL=C sort > "$work/rows"
jq -r '[.call_tree.data[] | recurse(.children[])] | group_by(.name)[] | "\(.[0].name) \(map(.calls) | add)"' \
	"$work/report" | LC_ALL=C sort > "$work/sums"
diff "$work/rows" "$work/sums" || fail 'the tree and the table differ'

# Saved, it stays.
expect 0 "$HOTPATH" report --save "$work/saved.json"
for options in '--tree' '--report tree --format json' '--callers b' '--callees main --format json'; do
	# shellcheck disable=SC2086
	"$HOTPATH" report $options > "$work/before"
	# shellcheck disable=SC2086
	"$HOTPATH" report $options "$work/saved.json" > "$work/after"
	diff "$work/before" "$work/after" || fail "saved: report $options"
done

# Parts of it.
expect 0 "$HOTPATH" report --report tree --format json --focus /^c$/
tree "$work/stdout" > "$work/tree"
same 'main 1+0
main/c 2+0' "$work/tree"
expect 0 "$HOTPATH" report --report tree --format json --exclude '/^(a|c|even|odd|recursive)$/'
tree "$work/stdout" > "$work/tree"
same 'main 1+0
main/b 16+0
worker 2+0
worker/b 20+0' "$work/tree"
jq -e "$sound" "$work/stdout" > /dev/null || fail 'not sound without what is excluded'
expect 0 "$HOTPATH" report --callers b --format json
jq -r '.calls, (.callers | sort_by(.name)[] | "\(.name) \(.calls)")' "$work/stdout" > "$work/callers"
same '36
a 6
c 10
worker 20' "$work/callers"
expect 0 "$HOTPATH" report --callees main --format json
jq -r '.callees | sort_by(.name)[] | "\(.name) \(.calls)"' "$work/stdout" > "$work/callees"
same 'a 3
c 2
even 1
recursive 5' "$work/callees"

# In the midst of it.
expect 137 "$HOTPATH" run --tree --format json -o "$work/report" "$program" killed
tree "$work/report" > "$work/tree"
same 'main 0+1
main/a 0+1
main/a/b 0+1
main/c 2+0
main/c/b 10+0
worker 2+0
worker/b 20+0' "$work/tree"
jq -e "$sound" "$work/report" > /dev/null || fail 'not sound when killed'

# Functions that are measured twice are there once, also where they call themselves.
expect 0 "$HOTPATH" run --tree --format json -o "$work/twice" --exclude '/^(repeat_b|run_threads)$/' "${program}_twice"
tree "$work/twice" > "$work/tree"
same "$whole" "$work/tree"
jq -e "$sound" "$work/twice" > /dev/null || fail 'not sound when measured twice'

# Several processes.
expect 0 "$HOTPATH" run --no-cpu --tree --format json -o "$work/report" sh -c "'$program'; '$program'"
tree "$work/report" > "$work/tree"
grep -qx 'worker/b 40+0' "$work/tree" || fail "two processes: $(cat "$work/tree")"
jq -e "$sound" "$work/report" > /dev/null || fail 'not sound when merged'

# None.
export HOTPATH_TREE=0
expect 0 "$HOTPATH" run --no-cpu --tree "$program"
says 'No call tree was recorded (HOTPATH_TREE=0).' "$work/stderr"
expect 0 "$HOTPATH" report --tree --format json
[ "$(jq .call_tree "$work/stdout")" = null ] || fail 'a tree although none was kept'
jq -r '.functions_timing.data[] | "\(.name) \(.calls)"' "$work/stdout" | LC_ALL=C sort > "$work/sums"
diff "$work/rows" "$work/sums" || fail 'without a tree, calls are missing'
refuse 1 'no call tree was recorded' "$HOTPATH" report --callers b

exit "$failed"
