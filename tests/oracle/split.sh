#!/bin/sh
# SPDX-License-Identifier: MIT
# Of functions that gcc has split, who called whom is what gprof counts of the same source, and none is lost.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
here=$(cd "$(dirname "$0")" && pwd)

for tool in gprof gcc nm; do
	command -v "$tool" > "$work/which" || { echo "$tool is not installed"; exit 77; }
done

gcc -O0 -pg "$here/split.c" -o "$work/plain"
GMON_OUT_PREFIX=$work/calls expect 0 "$work/plain"
gprof -b -q "$work/plain" "$work"/calls.* > "$work/graph"

# agrees COMMAND...: the compiler, with which the program becomes $work/split.
agrees()
{
	"$@" "$here/split.c" -o "$work/split"
	expect 0 "$HOTPATH" run --no-cpu --tree --limit 0 --tree-limit 0 --format json -o "$work/report" "$work/split"
	quiet "$work/stderr"
	expect 0 "$here/compare_callers.py" "$work/graph" "$work/report"
	[ "$status" = 0 ] || cat "$work/stdout"
	jq -e '.dropped | all(. == 0)' "$work/report" > "$work/which" || fail "$*: $(jq -c .dropped "$work/report")"
	jq -e '.functions_timing.data | all(.open == 0)' "$work/report" > "$work/which" || fail "$*: some are open"
}
is_split() { nm "$work/split" | grep -q '\.part\.'; }

# Not every gcc splits what another does.
splits=0
for level in -O1 -O2 -O3; do
	for more in -fpartial-inlining -fno-optimize-sibling-calls -fno-omit-frame-pointer; do
		agrees gcc -finstrument-functions "$level" -fpartial-inlining "$more"
		! is_split || splits=$((splits + 1))
	done
done
echo "split in $splits of 9 programs"

[ "$splits" -gt 0 ] || [ "$failed" = 1 ] || exit 77
exit "$failed"
