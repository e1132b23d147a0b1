#!/bin/sh
# SPDX-License-Identifier: MIT
# What a process did before it executed another program is in the report of its run, under the name of that program, and
# counted once.
# shellcheck disable=SC1091,SC2015,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD
cd "$work"

# Each program computes in a function of its own; then it waits for a file, if one is named; then it executes the next.
cat > image.c << 'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static char **command;
void *kept;

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) void NAME(void)
{
	for (double begin = cpu(); cpu() - begin < 0.2;)
		for (int i = 0; i < 100000; i++)
			sum += (unsigned long)i;
}

static void *execute(void *unused)
{
	execv(command[0], command);
	return unused;
}

static void *execute_in_thread(void *unused)
{
	pthread_t thread;

	NAME();
	pthread_create(&thread, NULL, execute, NULL);
	pthread_join(thread, NULL);
	return unused;
}

static void wait_for(const char *path)
{
	while (access(path, F_OK))
		usleep(10000);
}

int main(int argc, char **argv)
{
	const char *file = getenv("WAIT_" STRING);
	pthread_t thread;

	kept = malloc(SIZE);
	if (getenv("FAIL"))
		execl("/nonexistent", "nonexistent", NULL);
	NAME();
	if (file)
		wait_for(file);
	if (argc < 2)
		return 3;
	command = argv + 1;
	if (getenv("THREAD") && pthread_create(&thread, NULL, execute_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
	if (getenv("FORK") && fork()) {
		wait(NULL);
		return 3;
	}
	execute(NULL);
	return 1;
}
END
size=100000
for name in before middle after; do
	size=$((size + 100000))
	gcc -O1 -pthread -DNAME=$name -DSTRING="\"$name\"" -DSIZE=$size image.c -o $name
done
gcc -O1 -pthread -static -DNAME=fixed -DSTRING='"fixed"' -DSIZE=1 image.c -o fixed 2> errors || :

samples() { jq --arg name "$2" '[.functions_cpu.data[] | select(.name == $name).samples] | add // 0' "$1"; }

# computed FILE NAME...: of a report, these functions have each their part of the samples, and there is little else. The samples
# are those of the whole CPU time, to 2 % and the 3 ms by which samples are rounded.
computed()
{
	report=$1
	shift
	rest=$(jq .functions_cpu.total_samples "$report") all=$rest
	for name; do
		count=$(samples "$report" "$name")
		[ $((count * $# * 4)) -gt $((all * 3)) ] || fail "$report: $name has $count samples of $all"
		rest=$((rest - count))
	done
	[ $((rest * 10)) -lt "$all" ] || fail "$report: $rest samples of $all are somewhere else: $(jq -c .functions_cpu.data "$report")"
	used=$(jq '[.process_tree.data[] | .user_ns + .system_ns] | add' "$report")
	jq -e --argjson used "$used" '.functions_cpu | .total_samples * .period_ns - $used | fabs < 3e6 + $used / 50' "$report" \
		> /dev/null || fail "$report: not the CPU time, $used: $(jq -c '.functions_cpu | .total_samples, .period_ns' "$report")"
}

# One row for a process, called as its last program.
rows() { jq -c '[.process_tree.data[] | [.program, .processes, .end, .status]]' "$1"; }

one_process()
{
	computed report before after
	[ "$(rows report)" = '[["after",1,"exited",3]]' ] || fail "rows: $(rows report)"
	jq -e '.program == "after" and .exit.status == 3' report > /dev/null || fail "not as its last program: $(jq -c '.program, .exit' report)"
	threads=$(jq '[.threads.data[] | .user_ns + .system_ns] | add' report)
	jq -e --argjson threads "$threads" '.process_tree.data[0] | .user_ns + .system_ns - $threads | fabs < 3e6 + $threads / 50' \
		report > /dev/null || fail "the times of threads are not those of the process: $(jq -c '.threads.data' report)"
	# Each has a verdict of its own.
	jq -e '[.bottlenecks.data[].process] | sort == ["after", "before"]' report > /dev/null ||
		fail "verdicts: $(jq -c .bottlenecks report | cut -c1-400)"
}
undisturbed one_process expect 3 "$HOTPATH" run --format json -o report --save saved ./before ./after

# Later it is the same, also as it was saved; a part of it has one of the programs, or both.
expect 0 "$HOTPATH" report --format json -o later
expect 0 "$HOTPATH" report --format json -o loaded saved
for file in later loaded; do
	[ "$(jq -S '.process_tree, .functions_cpu.data' $file)" = "$(jq -S '.process_tree, .functions_cpu.data' report)" ] ||
		fail "$file: it differs from what was reported"
done
pid=$(jq '.process_tree.data[0].pid' report)
for from in '' saved; do
	# shellcheck disable=SC2086
	expect 0 "$HOTPATH" report --format json -o part --process before $from
	[ "$(samples part before)" -gt 0 ] && [ "$(samples part after)" = 0 ] || fail "--process before $from"
	# shellcheck disable=SC2086
	expect 0 "$HOTPATH" report --format json -o part --process "$pid" $from
	[ "$(samples part before)" = "$(samples report before)" ] && [ "$(samples part after)" = "$(samples report after)" ] ||
		fail "--process $pid $from"
	jq -e '.program == "after" and (.processes // 1) == 1 and .exit.status == 3' part > /dev/null ||
		fail "--process $pid $from: not one process: $(jq -c '.program, .processes, .exit' part)"
done
expect 0 "$HOTPATH" export --format folded -o folded
grep -q ';before [0-9]*$' folded && grep -q ';after [0-9]*$' folded || fail "stacks: $(head -5 folded)"

# In a child; three times; by a thread that is not the first.
in_a_child()
{
	computed report before after
	rows report | grep -q '^\[\["[a-z]*",1,"exited",3\],\["after",1,"exited",3\]\]$' || fail "in a child: $(rows report)"
}
undisturbed in_a_child expect 3 "$HOTPATH" run --format json -o report sh -c './before ./after; exit $?'
after_a_fork()
{
	computed report before after
	[ "$(rows report)" = '[["before",1,"exited",3],["after",1,"exited",3]]' ] || fail "after a fork: $(rows report)"
}
undisturbed after_a_fork expect 3 env FORK=1 "$HOTPATH" run --format json -o report ./before ./after
three() { computed report before middle after; }
undisturbed three expect 3 "$HOTPATH" run --format json -o report ./before ./middle ./after
by_a_thread()
{
	total=$(jq .functions_cpu.total_samples report)
	[ $(($(samples report before) * 2)) -gt "$total" ] || fail "by a thread: before has not two thirds: $(jq -c .functions_cpu report)"
	[ $(($(samples report after) * 5)) -gt "$total" ] || fail "by a thread: after has not a third: $(jq -c .functions_cpu report)"
	threads=$(jq '[.threads.data[] | .user_ns + .system_ns] | add' report)
	jq -e --argjson threads "$threads" '.process_tree.data[0] | .user_ns + .system_ns - $threads | fabs < 3e6 + $threads / 50' \
		report > /dev/null || fail "by a thread: the times of threads are not those of the process: $(jq -c '.threads.data' report)"
}
undisturbed by_a_thread expect 3 env THREAD=1 "$HOTPATH" run --format json -o report ./before ./after

# A forked child began when it was forked, not when its parent did, which waits first and measures nothing.
cat > late.c << 'END'
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	sleep(1);
	if (fork())
		return wait(NULL) < 0;
	for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 5;)
		;
	return 0;
}
END
gcc -O1 late.c -o late
expect 0 "$HOTPATH" run --format json -o report ./late
jq -e '.process_tree.data[1] as $child | .bottlenecks.data | map(select(.pid == $child.pid)) |
	length == 1 and .[0].wall_ns < $child.elapsed_ns + 300000000' report > /dev/null ||
	fail "a child is older than it is: $(jq -c '.process_tree.data, .bottlenecks.data' report)"

# What was allocated before is there, too.
expect 3 "$HOTPATH" run --no-cpu --alloc --format json -o report ./before ./after
for size in 200000 400000; do
	jq -e --argjson size $size '[.. | .bytes? // empty] | any(. >= $size and . < $size + 90000)' report > /dev/null ||
		fail "allocations: no $size bytes"
done
jq -e '.memory.peak_rss_bytes as $sum | [.process_tree.data[].peak_rss_bytes] | max * 1.5 > $sum' report > /dev/null ||
	fail "the memory of two programs at a time: $(jq -c '.memory, .process_tree.data' report | cut -c1-400)"

# A process that fails to execute a program goes on.
expect 3 env FAIL=1 "$HOTPATH" run --format json -o report ./before
[ "$(samples report before)" -gt 100 ] || fail "after an exec that failed: $(jq -c .functions_cpu report)"
jq -e '.elapsed_ns > 150000000' report > /dev/null || fail "an exec that failed has ended the recording: $(jq .elapsed_ns report)"

# While it runs.
WAIT_after=$work/go "$HOTPATH" run --format json -o report ./before ./after 2> errors &
running=$!
for _ in $(seq 1200); do
	"$HOTPATH" report --format json -o live 2> /dev/null && [ "$(samples live after)" -gt 100 ] && break
	sleep 0.05
done
[ "$(samples live before)" -gt 100 ] || fail "live: $(jq -c .functions_cpu live)"
[ "$(samples live '<loading>')" -lt 50 ] || fail "live: what was before is loading: $(jq -c .functions_cpu live)"
jq -e '.process_tree.data | length == 1 and .[0].end == "running"' live > /dev/null || fail "live: $(jq -c .process_tree live)"
: > go
status=0
wait "$running" || status=$?
[ "$status" = 3 ] || fail "ends with $status: $(cat errors)"

# Of many, the oldest are folded.
folded() { computed report before after; }
export HOTPATH_KEEP=1
undisturbed folded expect 0 "$HOTPATH" run --format json -o report sh -c './before ./after; ./before ./after; ./before ./after; :'
unset HOTPATH_KEEP
[ "$(find "$HOTPATH_DIR" -name '*.json' | wc -l)" = 1 ] || fail "nothing was folded: $(ls "$HOTPATH_DIR")"

# A program that is sampled from outside, and one that cannot be sampled then.
if [ -x fixed ]; then
	from_outside() { computed report fixed after; }
	undisturbed from_outside expect 3 "$HOTPATH" run --format json -o report ./fixed ./after
	expect 3 "$HOTPATH" run --format json -o report ./before ./fixed
	[ "$(samples report before)" -gt 100 ] || fail "before a static program: $(jq -c .functions_cpu report)"
	[ "$(rows report)" = '[["fixed",1,"exited",3]]' ] || fail "before a static program: $(rows report)"
fi

exit "$failed"
