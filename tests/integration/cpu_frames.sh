#!/bin/sh
# SPDX-License-Identifier: MIT
# The report says which share of the stacks is whole: all of them in programs that keep frame pointers or have unwind tables.
# Without both, callers are left out, though stacks seem to reach to the beginning, and these are not counted as whole.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
unset LD_PRELOAD
cd "$work"

cat > nested.c << 'END'
#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) unsigned long leaf(unsigned long n)
{
	for (int i = 0; i < 20000; i++)
		sum += (unsigned long)i * n;
	return sum;
}
__attribute__((noinline)) unsigned long middle(unsigned long n) { return leaf(n) + leaf(sum); }
__attribute__((noinline)) unsigned long outer(unsigned long n) { return middle(n) + middle(sum); }
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		for (int i = 0; i < 50; i++)
			sum += outer(sum);
	return 0;
}
END
for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	for source in $sources; do
		"$compiler" -O2 -fno-omit-frame-pointer nested.c -o nested
		settles '.functions_cpu.whole_percent > 99' sampled "$source" ./nested
		expect 0 "$HOTPATH" export --format folded -o -
		says 'main;outer;middle;leaf ' stdout
		"$compiler" -O2 -fomit-frame-pointer nested.c -o nested
		strip nested -o bare
		settles '.functions_cpu.whole_percent >= 98' sampled "$source" ./bare
		settles '.functions_cpu.whole_percent >= 98' sampled "$source" ./nested
		expect 0 "$HOTPATH" export --format folded -o -
		says 'main;outer;middle;leaf ' stdout
		! grep ';leaf ' stdout | grep -qv 'nested;_start;.*;main;outer;middle;leaf ' ||
			fail "other stacks: $(cat stdout)"
		"$compiler" -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables nested.c -o nested
		sampled "$source" ./nested
		holds '.functions_cpu.whole_percent < 50'
		expect 0 "$HOTPATH" report
		says 'compile with -fno-omit-frame-pointer for the rest' stdout
	done
done

exit "$failed"
