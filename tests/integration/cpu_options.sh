#!/bin/sh
# SPDX-License-Identifier: MIT
# What the program chooses for its samples, what the environment says to that, and sessions, each with its own.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
unset HOTPATH_CPU HOTPATH_CPU_RATE HOTPATH_CPU_SOURCE

cat > "$work/sessions.c" << 'END'
#include <hotpath.h>
#include "compute.h"
#include <stdlib.h>
__attribute__((noinline)) static void first(void) { HOTPATH_MEASURE(); compute(200); }
__attribute__((noinline)) static void second(void) { HOTPATH_MEASURE(); compute(100); }
static void session(unsigned rate, const char *path, void (*run)(void))
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;

	options.cpu_rate = rate;
	options.format = HOTPATH_FORMAT_JSON;
	options.output_path = path;
	if (hotpath_start(&options))
		exit(2);
	run();
	hotpath_stop();
}
/* sessions RATE FIRST SECOND */
int main(int argc, char **argv)
{
	unsigned rate = argc == 4 ? (unsigned)atoi(argv[1]) : 0;

	session(rate, argv[2], first);
	compute(100);
	session(rate, argv[3], second);
	return 0;
}
END
gcc -O2 -DHOTPATH_ENABLE=1 -I "$root/include" -I "$root/tests/programs" "$work/sessions.c" -o "$work/sessions" \
	-L "$BUILD/src/library" -Wl,-rpath,"$BUILD/src/library" -lhotpath

# run RATE [VARIABLE=VALUE...]: the two sessions.
run()
{
	rate=$1
	shift
	rm -f "$work/first" "$work/second"
	expect 0 env "$@" "$work/sessions" "$rate" "$work/first" "$work/second"
}

# says_of SESSION FILTER
says_of()
{
	cp "$work/$1" "$work/report"
	holds "$2"
}

# not_sampled: in neither.
not_sampled()
{
	for session in first second; do
		says_of "$session" 'has("functions_cpu") | not'
	done
}

# Each has what was computed in it, and nothing of what was in between.
for source in $sources; do
	run 500 HOTPATH_CPU_SOURCE="$source"
	quiet "$work/stderr"
	says_of first '.functions_cpu | .rate_hz == 500 and .data[0].name == "first"'
	says_of first '.functions_cpu | .total_samples * .period_ns / 200e6 | if . > 0.9 and . < 1.1 then true else ., false end'
	says_of second '.functions_cpu | .data[0].name == "second" and ([.data[] | select(.name == "first").samples] == [])'
	says_of second '.functions_cpu | .total_samples * .period_ns / 100e6 | if . > 0.9 and . < 1.1 then true else ., false end'
	says_of second '.stacks as $s | [.stacks.stacks[].frames[] | $s.frames[.].name] | index("first") == null'
done

# The environment wins.
run 0
quiet "$work/stderr"
not_sampled
run 500 HOTPATH_CPU=0
quiet "$work/stderr"
not_sampled
run 500 HOTPATH_CPU=1 HOTPATH_CPU_RATE=100
says_of first '.functions_cpu.rate_hz == 100'
run 0 HOTPATH_CPU=1
says_of second '.functions_cpu | .rate_hz == 999 and .total_samples > 80'

# No rate that there is: one line, and the default.
for wrong in 0 99999 abc; do
	run 0 HOTPATH_CPU=1 HOTPATH_CPU_RATE=$wrong
	same "hotpath: HOTPATH_CPU_RATE: '$wrong' is not a number from 1 to 10000; the default is used" "$work/stderr"
	says_of first '.functions_cpu.rate_hz == 999'
done
run 99999
says_of first '.functions_cpu.rate_hz == 10000'
for wrong in 0 abc 10001; do
	refuse 2 "'$wrong' is not a number from 1 to 10000" "$HOTPATH" run --rate "$wrong" true
done

exit "$failed"
