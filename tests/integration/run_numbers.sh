#!/bin/sh
# SPDX-License-Identifier: MIT
# A process id that the kernel uses again in a run is that of two processes, each with what it did. Only in a PID namespace of
# its own, as root, can a test choose the id of the next process.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD
cd "$work"

choose='echo 40 > /proc/sys/kernel/ns_last_pid'
unshare --pid --fork --mount-proc sh -c "$choose" 2> /dev/null || {
	echo 'skipped: process ids cannot be chosen here'
	exit 77
}
cat > burn.c << 'END'
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) void NAME(void)
{
	for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 5;)
		for (int i = 0; i < 100000; i++)
			sum += (unsigned long)i;
}

int main(void)
{
	NAME();
	return STATUS;
}
END
gcc -O1 -DNAME=first -DSTATUS=4 burn.c -o first
gcc -O1 -DNAME=second -DSTATUS=5 burn.c -o second

expect 0 unshare --pid --fork --mount-proc "$HOTPATH" run --format json -o report --save saved \
	sh -c "$choose; ./first & wait; $choose; ./second & wait; :"
expect 0 "$HOTPATH" report --format json -o later
expect 0 "$HOTPATH" report --format json -o loaded saved
for file in report later loaded; do
	rows=$(jq -c '[.process_tree.data[1:][] | [.program, .pid, .status]]' $file)
	[ "$rows" = '[["first",41,4],["second",41,5]]' ] || fail "$file: rows: $rows"
	jq -e '.process_tree.data[1:] | all(.samples > 100 and .samples < 400)' $file > /dev/null ||
		fail "$file: samples: $(jq -c '[.process_tree.data[].samples]' $file)"
	for name in first second; do
		[ "$(jq --arg name $name '[.functions_cpu.data[] | select(.name == $name).samples] | add' $file)" -gt 100 ] ||
			fail "$file: no samples of $name: $(jq -c .functions_cpu $file | cut -c1-300)"
	done
done
expect 0 "$HOTPATH" list --json
# The shell has one, too, if it was sampled.
[ "$(jq 'map(select(.pid == 41)) | length' stdout)" = 2 ] || fail "not two segments: $(cat stdout)"

exit "$failed"
