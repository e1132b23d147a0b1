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

	# Threads that end before anybody looked at them: what no stack was seen of is the kernel's, as far as it was there,
	# and all rows together are all.
	sampled "$source" "$BUILD/tests/programs/lock_write" "$work/file"
	read -r user system < "$work/stdout"
	holds '.functions_cpu | ([.data[].samples] | add) == .total_samples'
	holds '[.functions_cpu.data[].name] | index("<unknown>") == null'
	holds "[.functions_cpu.data[] | select(.name == \"<kernel>\").cpu_ns] |
		length == 1 and .[0] > 0 and .[0] <= $system * 1.1"
	holds "[.functions_cpu.data[] | select(.name == \"<no stack>\").cpu_ns] | add // 0 |
		. <= $user * 1.1 + 5000000"
	expect 0 "$HOTPATH" report --save "$work/saved" "$work/report"
	expect 0 "$HOTPATH" report "$work/saved"
	says '| <kernel> ' "$work/stdout"
done

exit "$failed"
