#!/bin/sh
# SPDX-License-Identifier: MIT
# A program without mistakes has none under memcheck either, whatever is measured of it.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
program=$BUILD/tests/programs/memcheck
command -v valgrind > /dev/null || { echo "no valgrind"; exit 77; }
valgrind -q true 2> /dev/null || { echo "valgrind does not run here"; exit 77; }

for option in --alloc --alloc=freed --alloc=count --cpu; do
	rm -f "$work/report"
	expect 0 "$HOTPATH" run "$option" --format json -o "$work/report" -- valgrind -q --error-exitcode=9 "$program"
	same 'done' "$work/stdout"
	quiet "$work/stderr"
	jq -e '[.functions_timing.data[] | select(.name == "allocate" or .name == "on_signal").calls] |
		sort == [400, 402]' "$work/report" > /dev/null || fail "$option: $(cat "$work/report")"
done

exit "$failed"
