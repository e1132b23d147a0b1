#!/bin/sh
# SPDX-License-Identifier: MIT
# What system calls take is CPU time as well, of whoever calls; even before there is any other.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"

for source in $sources; do
	# The first signal of all may be the one that tells of a system call.
	for _ in 1 2 3 4 5; do
		sampled "$source" "$BUILD/tests/programs/kernel_time" 40
	done
	sampled "$source" "$BUILD/tests/programs/kernel_time" 500
	is_all_of "$(cat "$work/stdout")" 0.02
	holds '.functions_cpu | [.data[] | select(.name | test("read$")).samples][0] / .total_samples > 0.9'
done

exit "$failed"
