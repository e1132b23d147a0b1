#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that live for 20 ms of CPU time are sampled while they do, however they begin and end.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
program=$BUILD/tests/programs/threads_compute

# Less than a look for each thread is in the total without a sample: a period by events, some ticks by timers; on a busy
# machine, half of what a thread does.
seen='.functions_cpu | (if .source == "perf" then 0.9 else 0.3 end) as $least |
	[.data[] | select(.name == "compute").samples][0] / .total_samples |
	if . > $least then true else ., false end'

# late SOURCE: one that was there before it began.
late()
{
	expect 0 env HOTPATH_CPU_SOURCE="$1" HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" "$program" late
	quiet "$work/stderr"
}

# A look does not wait for the recorder's lock, which threads that begin and end hold for moments: such a sample has no stack.
check_together()
{
	is_all_of "$(cat "$work/stdout")" 0.02
	holds '.dropped | all(. == 0)'
}
check_late()
{
	holds '[.stacks.threads[].samples] | length == 2 and min / max > 0.8'
	is_all_of "$(cat "$work/stdout")" 0.05
}

for source in $sources; do
	undisturbed check_together sampled "$source" "$program" joined c11 exits cancelled detached
	for kind in joined c11 exits cancelled detached; do
		settles "$seen" sampled "$source" "$program" "$kind"
	done
	undisturbed check_late late "$source"
done

exit "$failed"
