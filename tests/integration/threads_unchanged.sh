#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads of programs that nobody changed: each is in the report, also if it has slept all the time, and what threads of a name
# are said to do is what they do.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"

program=$BUILD/tests/programs/thread_pool

# row NAME: of the threads of this name. They wait, as far as the machine lets them.
rows='def row(name): [.bottlenecks.data[] | select(.name == name)] | if length == 1 then .[0] else null end;
	def waits: .cpu_ns < .wall_ns * 0.2 and (.verdict == "wait" or .queue_ns > .wall_ns * 0.3);'

# measures_alike NAME: the row has the times that the threads have measured themselves, but for what came before and after.
measures_alike()
{
	read -r lived computed < "$work/stdout"
	holds "$rows row(\"$1\") | .wall_ns - $lived | if fabs <= $lived * 0.1 then true else ., false end"
	holds "$rows row(\"$1\") | .cpu_ns - $computed | if fabs <= $computed * 0.1 then true else ., false end"
}

# Never the CPU time of all over one clock: six on one processor queue.
sampled perf "$program" crowd
measures_alike 'worker (6 threads)'
holds "$rows"' row("worker (6 threads)") | .verdict == "starved" and .threads == 6 and .cpu_ns + .queue_ns > .wall_ns * 0.9'
holds "$rows"' row("thread_pool (main thread)") | waits and .threads == 1'
holds '.bottlenecks.summary[0] | test("^worker \\(6 threads\\) queues for a processor for [0-9]+ % of its ")'
holds '.threads.data | length == 7 and all(.user_ns + .system_ns > 0)'

sampled perf "$program" kernel
measures_alike 'reader (2 threads)'
holds "$rows"' row("reader (2 threads)") | .verdict | IN("cpu", "starved")'
holds "$rows"' row("reader (2 threads)") | .system_ns > .cpu_ns * 0.5'

# Threads that only sleep have no samples, but rows. One that waits for a processor for long would be told apart.
settles "$rows"' row("thread_pool (64 threads)") | waits' sampled perf "$program" sleep
holds '[.threads.data[].threads] | add == 65'
holds '.threads.data | all(.user_ns != null and .recorded_ns > 0)'

# Threads of one process of several are judged by themselves.
cp "$program" "$work/napper"
expect 0 env HOTPATH_CPU_SOURCE=perf "$HOTPATH" run --format json -o "$work/report" -- \
	sh -c '"$0" nap; "$1" crowd > /dev/null' "$work/napper" "$program"
holds "$rows"' row("napper (2 threads)") | waits and .process == "napper"'
holds "$rows"' row("worker (6 threads)") | .verdict == "starved" and .process == "thread_pool"'
holds "$rows"' row("napper (2 threads)").pid != row("worker (6 threads)").pid'
holds '.bottlenecks.summary[0] | test("^thread_pool [0-9]+: worker \\(6 threads\\) queues ")'

# A thread that sleeps before it computes for the first time: both sections are about the same time.
run_options='--report=threads,bottlenecks,cpu' sampled perf "$program" late
holds '.bottlenecks.data[0] as $row | .threads.data[0] | .recorded_ns == $row.wall_ns and .recorded_ns > 4e8 and
	(.cpu_percent_avg - 100 * $row.cpu_ns / $row.wall_ns | fabs) < 1'

# Threads without a name may do different things.
settles "$rows"' row("thread_pool (6 waiting threads)") | waits' sampled perf "$program" mixed
holds "$rows"' row("thread_pool (2 busy threads)").verdict | IN("cpu", "starved")'
holds '.bottlenecks.summary | map(test("^thread_pool \\(2 busy threads\\) (computes|queues)")) | any'

# A thread that is interrupted for long at the wrong moment would wait, and so be told apart.
settles "$rows"' row("short (1000 threads)") | .threads == 1000 and .wall_ns > .cpu_ns' sampled perf "$program" short
holds '[.threads.data[] | select(.name == "short").threads] | add == 1000'
holds '.threads.ended.threads == 0'

# Threads that are there when the process ends, or is killed, or goes on.
sampled perf "$program" stay
holds "$rows"' row("stays (8 threads)") | waits'
holds '.threads.data | map(select(.name == "stays" and .user_ns != null)) | length == 8'
expect 137 "$HOTPATH" run --cpu --format json -o "$work/report" -- "$program" killed
holds '.threads.data | length == 9'
mkfifo "$work/ready"
"$HOTPATH" run --cpu --format none -- "$program" lasts > "$work/ready" &
read -r pid < "$work/ready"
expect 0 "$HOTPATH" report "$pid" --format json -o "$work/report"
holds '.threads.data | map(select(.name == "stays" and .state == "sleeping" and .recorded_ns > 0)) | length == 8'
holds "$rows"' row("stays (8 threads)") | waits'
kill -KILL "$pid"
wait

exit "$failed"
