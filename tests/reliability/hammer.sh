#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that forks, jumps, throws, loads, unloads, allocates and ends threads all the time, sampled as often as
# can be: it does not crash, does not hang, and prints what it prints.
#
# usage: hammer.sh [SECONDS]
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/../integration/cpu_common.sh"
program=$BUILD/tests/programs/hammer library=$BUILD/tests/programs/hammer_library.so seconds=${1-25}

[ -x "$program" ] || {
	echo 'skipped: there is no C++ compiler'
	exit 77
}

# hammer SOURCE SECONDS: twice as long is a hang.
hammer()
{
	expect 0 env HOTPATH_CPU_SOURCE="$1" timeout "$(($2 * 2 + 10))" "$HOTPATH" run --alloc --rate 10000 \
		--format json -o "$work/report" -- "$program" "$library" "$2"
	same 'faults 0' "$work/stdout"
	quiet "$work/stderr"
	# One report for each of its children, too.
	jq -s -e '[.[].functions_cpu | select(.)] | (map(.total_samples) | add) > 1000 and
		(map(.attributed_samples) | add) > 100' "$work/report" > /dev/null ||
		fail "$1: hardly any samples"
}

hammer perf "$seconds"
hammer timer "$((seconds / 6))"

exit "$failed"
