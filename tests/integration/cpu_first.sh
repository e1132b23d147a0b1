#!/bin/sh
# SPDX-License-Identifier: MIT
# What a measured call costs is measured before the first one, also if samples have begun the recording; and not at all where
# there is none.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
unset HOTPATH_CPU HOTPATH_CPU_RATE HOTPATH_CPU_SOURCE
cd "$work"

# It computes for a while, and then calls a function if it has an argument.
cat > first.c << 'END'
#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) void called(void) { sum++; }
int main(int argc, char **argv)
{
	(void)argv;
	while (clock() < CLOCKS_PER_SEC / 20)
		sum++;
	for (int i = 0; argc > 1 && i < 1000; i++)
		called();
	return 0;
}
END
gcc -O1 -finstrument-functions -finstrument-functions-exclude-function-list=main first.c -o first
cat > cost.c << 'END'
#include "segment.h"
#include <stdio.h>
int main(void)
{
	static struct hp_header header;
	if (fread(&header, sizeof(header), 1, stdin) != 1)
		return 1;
	puts(header.span_cost ? "known" : "unknown");
	return 0;
}
END
gcc -I "$root/src/segment" -I "$root/include" cost.c -o cost

# costs ARGUMENT...: what the only segment of a run knows of them.
costs()
{
	"$HOTPATH" list --clean > stdout
	expect 0 "$HOTPATH" run --cpu --format none ./first "$@"
	./cost < "$(find "$HOTPATH_DIR" -name '*.seg')"
}
[ "$(costs)" = unknown ] || fail 'costs of calls were measured where there are none'
[ "$(costs measured)" = known ] || fail 'costs of calls are not known'
expect 0 "$HOTPATH" report --format json
jq -e '.functions_timing.data[] | select(.name == "called").calls == 1000' stdout > /dev/null || fail "calls: $(cat stdout)"
[ "$(jq '.functions_cpu.total_samples // ([.functions_cpu.data[].samples] | add)' stdout)" -ge 10 ] ||
	fail "samples: $(jq -c .functions_cpu stdout)"
exit "$failed"
