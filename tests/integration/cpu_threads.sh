#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that live for 20 ms of CPU time are sampled while they do, however they begin and end.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
program=$BUILD/tests/programs/threads_compute

# Less than a look for each thread is in the total without a sample: a period by events, some ticks by timers.
for source in $sources; do
	sampled "$source" "$program" joined c11 exits cancelled detached
	is_all_of "$(cat "$work/stdout")" 0.02
	[ "$used" = perf ] && seen=0.9 || seen=0.5
	holds ".functions_cpu | [.data[] | select(.name == \"compute\").samples][0] / .total_samples |
		if . > $seen then true else ., false end"
	holds '.dropped | all(. == 0)'

	# One that was there before it began.
	expect 0 env HOTPATH_CPU_SOURCE="$source" HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" \
		"$program" late
	quiet "$work/stderr"
	is_all_of "$(cat "$work/stdout")" 0.05
	holds '[.stacks.threads[].samples] | length == 2 and min / max > 0.8'
done

exit "$failed"
