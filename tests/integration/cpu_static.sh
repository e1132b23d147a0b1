#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that brings the recorder with it samples itself: main, and threads that measure.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(dirname "$0")/../..

for link in -static ''; do
	gcc -O2 $link -DHOTPATH_ENABLE=1 -I "$root/include" "$root/tests/programs/burn.c" -o "$work/burn" \
		"$BUILD/src/library/libhotpath.a" -lpthread -ldl
	for source in $sources; do
		rm -f "$work/report"
		expect 0 env HOTPATH_CPU=1 HOTPATH_CPU_SOURCE="$source" HOTPATH_OUTPUT_FORMAT=json \
			HOTPATH_OUTPUT_PATH="$work/report" "$work/burn" 500 4
		quiet "$work/stderr"
		is_all_of "$(cat "$work/stdout")" 0.02
		holds '.functions_cpu | .attributed_samples / .total_samples > 0.9'
		holds '[.stacks.threads[].samples] | length == 4 and min / max > 0.7'
	done
done

exit "$failed"
