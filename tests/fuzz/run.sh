#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzzes whatever reads what may come from anyone: segments, saved reports, programs and requests.
#
# usage: tests/fuzz/run.sh SECONDS [FOLDER]
#
# Builds the targets in FOLDER, or in one that is removed; replays the inputs that once failed
# (regression/TARGET/*), then fuzzes with all targets at once for so many seconds. An input that fails is left
# in the current folder as failed-TARGET-*, to be fixed and put under regression/.
set -eu

seconds=${1:?usage: tests/fuzz/run.sh SECONDS [FOLDER]}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fuzz/targets.sh
. "$here/targets.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${2-$work/build}
"$here/build.sh" "$build"

failed=0
for target in "${targets[@]}"; do
	for input in "$here/regression/$target"/*; do
		[ -e "$input" ] || continue
		"$build/$target" "$input" > "$work/log" 2>&1 && continue
		tail -40 "$work/log"
		echo "FAILED: $input fails again"
		failed=1
	done
done

# For the whole time; what they say is shown when they fail.
declare -A running
for target in "${targets[@]}"; do
	mkdir "$work/$target"
	"$here/one.sh" "$build" "$target" -max_total_time="$seconds" "$work/$target" > "$work/$target.log" 2>&1 &
	running[$target]=$!
done
for target in "${targets[@]}"; do
	if ! wait "${running[$target]}"; then
		grep -v -e '^#[0-9]*.*\(NEW\|REDUCE\|pulse\)' "$work/$target.log" | tail -60
		echo "FAILED: fuzz_$target"
		failed=1
	fi
	grep -e number_of_executed_units -e new_units_added "$work/$target.log" |
		sed "s/^stat::/fuzz_$target: /" || true
done
exit "$failed"
