#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls per function are those that callgrind counts in the same run.
. "$(dirname "$0")/../integration/expect.sh"

command -v valgrind > "$work/which" || { echo "valgrind is not installed"; exit 77; }

export HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report.json" HOTPATH_LIMIT=0
expect 0 valgrind --tool=callgrind --dump-instr=yes --compress-pos=no \
	--callgrind-out-file="$work/callgrind.out" "$BUILD/tests/oracle/counted"

expect 0 "$(dirname "$0")/compare_calls.py" "$BUILD/tests/oracle/counted" "$work/callgrind.out" \
	"$work/report.json" leaf inner outer fibonacci is_even is_odd
[ "$failed" = 0 ] || cat "$work/stdout"
exit "$failed"
