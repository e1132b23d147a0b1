#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that brings the recorder with it samples itself: main, and threads that measure.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(dirname "$0")/../..

# Of every thread there are as many samples as it had CPU time. Threads that have ended are not named with their
# samples, so both are put in order.
of_threads='.functions_cpu.period_ns as $period |
	[([.stacks.threads[].samples * $period] | sort), ([.threads.data[] | .user_ns + .system_ns] | sort)] |
	transpose | length == 4 and all(.[0] / .[1] - 1 | fabs < 0.1)'

# run SOURCE: leaves the report.
run()
{
	rm -f "$work/report"
	expect 0 env HOTPATH_CPU=1 HOTPATH_CPU_SOURCE="$1" HOTPATH_REPORT=all HOTPATH_OUTPUT_FORMAT=json \
		HOTPATH_OUTPUT_PATH="$work/report" "$work/burn" 500 4
	quiet "$work/stderr"
}

for link in -static ''; do
	gcc -O2 $link -DHOTPATH_ENABLE=1 -I "$root/include" "$root/tests/programs/burn.c" -o "$work/burn" \
		"$BUILD/src/library/libhotpath.a" -lpthread -ldl
	for source in $sources; do
		settles "$of_threads" run "$source"
		is_all_of "$(cat "$work/stdout")" 0.02
		holds '.functions_cpu | .attributed_samples / .total_samples > 0.9'
	done
done

exit "$failed"
