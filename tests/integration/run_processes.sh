#!/bin/sh
# SPDX-License-Identifier: MIT
# A run of many processes is one thing: one report, with all of them as a tree; later too, and when it was saved.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

basic=$BUILD/examples/basic
run() { "$HOTPATH" run --no-cpu "$@"; }
rows() { jq -r '.process_tree.data[] | "\(.depth) \(.program) \(.processes) \(.end) \(.status)"' "$1"; }

# A shell that starts one program three times, which fails once: one report, one row for all three.
script="'$basic'; '$basic'; '$basic' > /dev/null; exit 3"
expect 3 run --save "$work/run.json" --format json -o "$work/report" sh -c "$script"
[ "$(wc -l < "$work/report")" = 1 ] || fail 'not one document'
rows "$work/report" > "$work/rows"
grep -q ' basic 3 exited 0$' "$work/rows" || fail "not one row for three: $(cat "$work/rows")"
[ "$(jq '.functions_timing.data[] | select(.name == "custom_block").calls' "$work/report")" = 300 ] ||
	fail 'not the calls of all'

# The table begins with the processes; a report of one process has no such section.
expect 0 run sh -c "'$basic'; '$basic'; :"
says 'processes - Processes of the run, as a tree.' "$work/stderr"
says 'basic ×2 ' "$work/stderr"
expect 0 run "$basic"
grep -q 'processes - ' "$work/stderr" && fail 'a tree of one process'

# One for each when asked for, also of what was saved.
expect 3 run --each --format json -o "$work/each" sh -c "$script"
[ "$(jq -s 'map(select(.program == "basic")) | length' "$work/each")" = 3 ] || fail 'not one for each'
expect 0 "$HOTPATH" report --each "$work/run.json"
[ "$(grep -c '^== basic (pid' "$work/stdout")" = 3 ] || fail "saved: $(cat "$work/stdout")"

# Later, by the number of its first process, and as it was saved, it is the same report.
expect 3 run --format none --save "$work/run.json" sh -c "$script"
expect 0 "$HOTPATH" report --format json
mv "$work/stdout" "$work/later"
expect 0 "$HOTPATH" report --format json "$work/run.json"
for part in .process_tree .functions_timing.data; do
	[ "$(jq -S "$part" "$work/later")" = "$(jq -S "$part" "$work/stdout")" ] ||
		fail "saved: $part differs"
done

# By the name of the run it is the same, too; a file of that name comes first, and there may be no such run.
name=$("$HOTPATH" list --json | jq -r '.[0].run')
expect 0 "$HOTPATH" report --format json "$name"
[ "$(jq -S .process_tree "$work/stdout")" = "$(jq -S .process_tree "$work/later")" ] || fail 'by its name: another report'
(cd "$work" && cp run.json "$name" && expect 0 "$HOTPATH" report --format json --process basic "$name") || fail 'a file of that name'
refuse 2 "${name}0: No such file" "$HOTPATH" report "${name}0"

# A part of it: by name, by number, by place in the tree.
calls() { jq '.functions_timing.data[] | select(.name == "custom_block").calls' "$work/stdout"; }
expect 0 "$HOTPATH" report --format json --process basic
[ "$(calls)" = 300 ] || fail "--process basic: $(calls)"
pid=$(jq '[.members[] | select(.program == "basic").pid][1]' "$work/run.json")
expect 0 "$HOTPATH" report --format json --process "$pid" "$work/run.json"
[ "$(calls)" = 100 ] || fail "--process $pid: $(calls)"
place=$(jq '.process_tree.data | map(.program) | index("basic") + 1' "$work/run.json")
expect 0 "$HOTPATH" report --format json --process "$place" "$work/run.json"
[ "$(calls)" = 300 ] || fail "--process $place: $(calls)"
refuse 1 "no process 'nobody' in this run" "$HOTPATH" report --process nobody
# A report that was not saved has the sum of all processes, which is nobody's.
expect 0 "$HOTPATH" report --format json -o "$work/sum.json" "$work/run.json"
refuse 1 '--process needs a report that --save has written' "$HOTPATH" report --process basic "$work/sum.json"

# Saved reports become one.
expect 0 run --save "$work/one.json" --format none "$basic"
expect 0 "$HOTPATH" report --format json "$work/one.json" "$work/run.json"
[ "$(calls)" = 400 ] || fail "merged: $(calls)"
[ "$(jq '[.process_tree.data[].processes] | add' "$work/stdout")" -ge 4 ] || fail 'not all processes'
expect 0 run --format json -o "$work/cut.json" --limit 1 "$basic"
refuse 2 'was not written by --save' "$HOTPATH" report "$work/one.json" "$work/cut.json"

# The figures of processes are in the report whatever else was recorded.
jq -e '.process_tree.data | all(.elapsed_ns > 0 and .pid > 0)' "$work/run.json" > /dev/null ||
	fail "rows: $(jq -c .process_tree "$work/run.json")"

# Of many processes few files are left, and nothing is lost.
"$HOTPATH" list --clean > /dev/null
[ -z "$(ls "$HOTPATH_DIR")" ] || fail "--clean leaves $(ls "$HOTPATH_DIR")"
many='i=0; while [ $i -lt 12 ]; do "$0"; i=$((i + 1)); done'
HOTPATH_KEEP=3 expect 0 run --format json -o "$work/report" sh -c "$many" "$basic"
[ "$(find "$HOTPATH_DIR" -name '*.seg' | wc -l)" = 3 ] || fail "kept: $(ls "$HOTPATH_DIR")"
[ "$(find "$HOTPATH_DIR" -type f | wc -l)" = 5 ] || fail "files: $(ls "$HOTPATH_DIR")"
[ "$(jq '.functions_timing.data[] | select(.name == "custom_block").calls' "$work/report")" = 1200 ] ||
	fail 'folded: calls are missing'
grep -q '"program":"basic".*"processes":12' "$work/report" || fail "folded: $(rows "$work/report")"
expect 0 "$HOTPATH" report --format json
[ "$(jq -S '.process_tree, .functions_timing.data' "$work/report")" = \
	"$(jq -S '.process_tree, .functions_timing.data' "$work/stdout")" ] || fail 'folded: later it differs'
HOTPATH_KEEP=many expect 0 run --format none "$basic"
says "HOTPATH_KEEP: 'many' is not a number; using 32" "$work/stderr"

# A quarter more segments of earlier runs than are kept come together before they are looked at, and the oldest removed.
"$HOTPATH" list --clean > /dev/null
segments() { find "$HOTPATH_DIR" -name '*.seg' | wc -l; }
export HOTPATH_KEEP=4
for kept in 1 2 3 4 5 6 5 6 5; do
	expect 0 "$HOTPATH" run --no-cpu --format none "$basic"
	[ "$(segments)" = "$kept" ] || fail "kept, not $kept: $(ls "$HOTPATH_DIR")"
done
unset HOTPATH_KEEP

# Without a report, a run that has left no segment says so itself: then nobody looks for more, as registers that tools left
# which were killed. Otherwise they are removed, if there are more than a quarter of what is kept; and a run that has segments
# keeps its register.
rm -rf "$HOTPATH_DIR"
mkdir -m 700 "$HOTPATH_DIR"
orphan=$HOTPATH_DIR/hotpath-999999999-1.run
: > "$orphan"
registers() { find "$HOTPATH_DIR" -name '*.run' ! -path "$orphan" | wc -l; }
expect 0 "$HOTPATH" run --no-cpu --format none true
[ "$(registers)" = 0 ] || fail "a run without segments leaves a register: $(ls "$HOTPATH_DIR")"
[ -e "$orphan" ] || fail 'what others left was looked for'
export HOTPATH_KEEP=3
expect 137 "$HOTPATH" run --no-cpu --format none sh -c 'kill -9 $$'
[ "$(registers)" = 0 ] || fail "a run that was killed leaves a register: $(ls "$HOTPATH_DIR")"
[ ! -e "$orphan" ] || fail 'what others left was not looked for after a run that was killed'
: > "$orphan"
expect 0 "$HOTPATH" run --no-cpu --format none "$BUILD/examples/basic"
[ "$(registers)" = 1 ] || fail "a run with a segment has no register: $(ls "$HOTPATH_DIR")"
[ ! -e "$orphan" ] || fail 'what others left was not looked for after a run with a segment'
: > "$orphan"
HOTPATH_KEEP=32 expect 0 "$HOTPATH" run --no-cpu --format none "$BUILD/examples/basic"
[ -e "$orphan" ] || fail 'a single register of others was looked for'
: > "$orphan"
expect 0 "$HOTPATH" run --no-cpu -o "$work/report" true
[ ! -e "$orphan" ] || fail 'what others left was not looked for by a run with a report'

exit "$failed"
