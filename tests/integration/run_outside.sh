#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath run samples a program from outside that the recorder cannot be loaded into: one that is linked statically. It is a
# process of the run like any other, and nothing of the sampler is left behind.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD
cd "$work"

cat > burn.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void burn(void)
{
	for (unsigned long i = 0; i < 200000000; i++)
		sum = sum * 3 + i;
}

int main(int argc, char **argv)
{
	burn();
	puts("done");
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "raise") == 0)
		raise(SIGTERM);
	if (argc > 1 && strcmp(argv[1], "fork") == 0 && fork())
		return wait(NULL) > 0 ? 3 : 1;
	if (argc > 2 && strcmp(argv[1], "fork") == 0)
		argv++;
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 3;
}
END
gcc -O1 -static burn.c -o burn 2> errors || { cat errors; exit 77; }
gcc -O1 burn.c -o dynamic

# mostly FILE: most samples of the report in a file are in burn.
mostly()
{
	jq -e '.functions_cpu.data | map({ (.name): .samples }) | add | .burn > (add / 2)' "$1" > /dev/null ||
		fail "$1: burn has not most samples: $(jq -c .functions_cpu "$1" | cut -c1-400)"
}

expect 3 "$HOTPATH" run --format json -o report ./burn
same 'done' stdout
quiet stderr
mostly report
expect 0 "$HOTPATH" report --format json -o later
mostly later
jq -e '.exit.status == 3' later > /dev/null || fail "not its exit status: $(jq -c .exit later)"
expect 0 "$HOTPATH" export --format folded -o folded
grep -q 'burn [0-9]*$' folded || fail "no stack ends with burn: $(head -5 folded)"

# Its name, its arguments and its time are known later, too, and it has started before its children.
is_row()
{
	jq -e --arg file "$1" "$2" "$1" > /dev/null || fail "$1: not so: $2: $(jq -c .process_tree "$1")"
}
began=$(date +%s%N)
expect 3 "$HOTPATH" run --report processes --format json -o report ./burn fork ./dynamic last
expect 0 "$HOTPATH" report --report processes --format json -o later
for file in report later; do
	is_row $file '.process_tree.data | map([.depth, .program, .arguments]) ==
		[[0, "burn", "fork ./dynamic last"], [1, "dynamic", "last"]]'
	is_row $file '.process_tree.data | .[0].elapsed_ns > .[1].elapsed_ns and .[0].start_unix_ns <= .[1].start_unix_ns'
	is_row $file ".process_tree.data | .[0].start_unix_ns + 20000000 > $began and .[1].elapsed_ns > 0 and .[0].status == 3"
done
# Nor is the time of the child counted twice.
jq -e '(.process_tree.data | .[0].user_ns < 1.5 * .[1].user_ns)' later > /dev/null || fail "twice: $(jq -c .process_tree later)"
expect 3 "$HOTPATH" run --format none ./burn
expect 0 "$HOTPATH" report --report processes --format json -o later
is_row later '.process_tree.data | length == 1 and .[0].program == "burn" and .[0].elapsed_ns > .[0].user_ns and .[0].status == 3'

# Who asks for more is told what there cannot be, and gets the samples.
expect 3 "$HOTPATH" run --all --format json -o report ./burn
says "cannot record allocations of './burn': it is statically linked" stderr
mostly report

# It ends by a signal, executes another one of its kind, and one that the recorder is loaded into.
expect 143 "$HOTPATH" run --format json -o report ./burn raise
mostly report
expect 0 "$HOTPATH" report --format json -o later
jq -e '.exit.signal == 15' later > /dev/null || fail "not the signal that ended it: $(jq -c .exit later)"
expect 3 "$HOTPATH" run --format json -o report ./burn ./burn
mostly report
expect 3 "$HOTPATH" run --format json -o report ./burn ./dynamic
jq -e '.program == "dynamic" and any(.functions_cpu.data[]; .name == "burn")' report > /dev/null ||
	fail "the program that was executed last is not seen: $(jq -c '.program, .functions_cpu' report | cut -c1-400)"

# Nobody samples if that is not wanted.
for off in '--no-cpu' '--cpu --report cpu'; do
	# shellcheck disable=SC2086
	expect 3 env HOTPATH_OFF="$([ "$off" = --no-cpu ] || echo 1)" "$HOTPATH" run $off --format json -o report ./burn
	jq -e '.stacks | not' report > /dev/null || fail "$off: samples were taken"
done
expect 0 "$HOTPATH" list
grep -q running stdout && fail "something still runs: $(cat stdout)"

exit "$failed"
