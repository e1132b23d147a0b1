#!/bin/sh
# SPDX-License-Identifier: MIT
# What the linker puts in front of functions of libraries is named after them, never after what happens to be before
# it; and all of a function without a symbol is one row.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
cd "$work"

# The stubs are most of what this program does: the library has hardly anything to do.
cat > library.c << 'END'
unsigned far_away(unsigned a) { return a; }
END
cat > program.c << 'END'
#include <stdlib.h>
unsigned far_away(unsigned a);
static void __attribute__((noinline)) keep(char **at)
{
	at[0] = malloc(1000);
	at[1] = malloc(2000);
	at[2] = malloc(3000);
}
int main(int argc, char **argv)
{
	static char *kept[3];
	unsigned sum = 0;

	(void)argv;
	keep(kept);
	for (unsigned i = 0; i < 150000000u / (unsigned)argc; i++)
		sum += far_away(i);
	return sum == 12345;
}
END
gcc -O1 -shared -fPIC library.c -o libfar.so

# named OPTION...: a program with a stub, which is found by its name.
named()
{
	# Without tables for unwinding there is nothing but symbols to go by.
	gcc -O1 -g "$@" -fno-asynchronous-unwind-tables program.c -o program -L. -lfar -Wl,-rpath,"$work"
	sampled perf ./program
	holds '[.functions_cpu.data[].name] | index("far_away@plt") != null'
	holds '[.functions_cpu.data[].name] | index("_init") == null'
	[ "$failed" = 0 ] || fail "$*: $(jq -c '[.functions_cpu.data[].name]' report)"
}
named -Wl,-z,lazy
named -Wl,-z,now
[ "$(uname -m)" != x86_64 ] || named -fcf-protection=full -Wl,-z,ibtplt,-z,lazy

# Stripped: three calls of malloc in one function.
gcc -O1 program.c -o program -L. -lfar -Wl,-rpath,"$work" -s
expect 0 "$HOTPATH" run --alloc --format json -o report ./program 1000 1000
jq -r '.functions_alloc.data[] | select(.name | startswith("program+0x")) | .bytes // .total_bytes' \
	report > rows 2>&1
[ "$(wc -l < rows)" = 1 ] || fail "not one row: $(jq -c .functions_alloc report)"

exit "$failed"
