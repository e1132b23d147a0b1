#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables name the function that was inlined, and the one it is in, where the compiler has written it down.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
cd "$work"

cat > shop.c << 'END'
#include <stdlib.h>

static void *volatile kept;

static inline __attribute__((always_inline)) char *make_receipt(int n)
{
	char *receipt = malloc(100);

	receipt[0] = (char)n;
	return receipt;
}

static inline __attribute__((always_inline)) unsigned add_up(unsigned n)
{
	for (volatile int i = 0; i < 20000; i++)
		n = n * 1664525u + 1013904223u;
	return n;
}

__attribute__((noinline)) static unsigned worker(int n)
{
	kept = make_receipt(n);
	return add_up((unsigned)n);
}

int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 10000; i++)
		sum += worker(i);
	return sum == 12345;
}
END
gcc -O2 -g -fno-omit-frame-pointer shop.c -o shop

expect 0 "$HOTPATH" run --alloc ./shop
grep -qE '^\| make_receipt \(in worker\) +\| shop.c:7 +\|.* 10000 ' stderr || fail "live: $(cat stderr)"
expect 0 "$HOTPATH" run --alloc --format json -o report ./shop
holds '[.functions_alloc.data[] | select(.name == "make_receipt (in worker)") | .location.line] == [5]'
holds '[.functions_alloc.data[] | select(.name == "worker")] == []'

sampled perf ./shop
holds '.functions_cpu.data[0].name == "add_up (in worker)"'
# What is inside of a function is all of it, inlined or not.
holds '.functions_cpu.data | (.[] | select(.name == "worker")).inclusive_samples >=
	(.[] | select(.name == "add_up (in worker)")).inclusive_samples'
# A saved report knows it too, and an exported one has both functions, as ever.
expect 0 "$HOTPATH" report --save saved report
expect 0 "$HOTPATH" report saved
says '| add_up (in worker) ' stdout
expect 0 "$HOTPATH" export --format folded -o folded saved
grep -q 'worker.*;add_up' folded || fail "folded: $(cat folded)"

# Nothing is known of that without -g, and symbols are all there is.
gcc -O2 -fno-omit-frame-pointer shop.c -o shop
sampled perf ./shop
holds '.functions_cpu.data[0].name == "worker"'
expect 0 "$HOTPATH" run --alloc --format json -o report ./shop
holds '[.functions_alloc.data[].name] | index("worker") != null'

exit "$failed"
