#!/bin/sh
# SPDX-License-Identifier: MIT
# What the report says that functions and threads do is what they do: with a processor and without one, in the kernel, and
# when the profiler itself takes most of the time.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"

program=$BUILD/tests/programs/verdict_truth
bare=$BUILD/tests/programs/verdict_truth_bare

# verdict NAME: of the row of this name.
verdict='def verdict(name): [.bottlenecks.data[] | select(.name == name)][0].verdict;'

# Six threads on one processor: however the machine is loaded, each computes or queues. One that sleeps may have to queue afterwards.
for source in $sources; do
	sampled "$source" "$program" crowd
	holds "$verdict"' verdict("compute_alone") == "starved"'
	holds '[.bottlenecks.data[] | select(.name == "sleep_a_while") | (.verdict | . == "wait" or . == null) or .queue_ns > .wall_ns / 4] | all'
	holds '.bottlenecks.data[] | select(.name == "compute_alone") | .queue_ns > .wall_ns / 2'
	holds '.bottlenecks.data[] | select(.name == "compute_alone") | .wait_ns < .wall_ns / 5'
	holds '.bottlenecks.summary | map(test("^compute_alone queues for a processor")) | any'
	holds '[.threads.data[] | select(.queue_ns > .user_ns)] | length >= 5'
done

# The same program without a measured function: its threads are the rows, and none waits but the first.
sampled perf "$bare" crowd
holds '.bottlenecks.data | map(select(.threads == 6))[0].verdict == "starved"'
holds '.bottlenecks.data | map(select(.threads == 6))[0] | .cpu_ns + .queue_ns > .wall_ns * 0.9'

for source in $sources; do
	sampled "$source" "$program" kernel
	holds '.bottlenecks.data[] | select(.name == "touch_pages") | .system_ns > .cpu_ns / 2'
	holds '.bottlenecks.summary[0] | test("^touch_pages (spends [0-9]+ % of its .* in the kernel|queues)")'
	holds '.functions_cpu.data[] | select(.name == "touch_pages") | .system_samples > .samples / 2'
done
sampled perf "$bare" kernel
holds '[.stacks.stacks[] | select(.system).samples] | add > 100'

# A main that leaves by exit() has not taken longer than there was time, and nobody waits.
sampled perf "$program" leave
holds '.functions_timing.data[] | select(.name == "main") | .percent_total <= 100 and .open == 1'
holds '[.functions_timing.data[].total_ns] | max <= '"$(jq .elapsed_ns "$work/report")"
holds '.bottlenecks.data[] | .verdict != "wait"'
# What the profiler took is in no function: it has more samples than the function that calls and does nothing else.
holds '.functions_cpu | .own_samples > ([.data[] | select(.name == "leave").samples] | add // 0)'
holds '.functions_cpu | [.data[].samples] | add == '"$(jq .functions_cpu.total_samples "$work/report")"
holds '.functions_cpu.data[] | .name | startswith("hotpath_") | not'

# The same where the recorder is in the program itself.
if [ -x "$BUILD/tests/programs/static_verdict_truth" ]; then
	sampled perf "$BUILD/tests/programs/static_verdict_truth" leave
	holds '.functions_cpu | .own_samples > .total_samples / 2'
fi

exit "$failed"
