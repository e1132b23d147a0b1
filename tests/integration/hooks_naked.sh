#!/bin/sh
# SPDX-License-Identifier: MIT
# A naked function calls its hook with a stack that is not aligned, which the recorder bears.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

[ "$(uname -m)" = x86_64 ] || exit 77
cd "$work"
# The compiler lets such a function change registers that it has to keep; so it is called by assembly that knows of it.
cat > program.c << 'END'
#include <stdio.h>
#define NAKED(name) __attribute__((naked, used)) void name(void) { __asm__("ret"); }
#define CALL(name) \
	__asm__ volatile("call " #name ::: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", \
			 "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc")
NAKED(first)
NAKED(naked)
__attribute__((constructor(101), no_instrument_function)) static void begin(void) { CALL(first); }
__attribute__((noinline)) static void one(void) { CALL(naked); puts("one"); }
__attribute__((noinline)) static void other(void) { CALL(naked); puts("other"); }
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		one();
		other();
		CALL(naked);
	}
	return 0;
}
END

for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	for level in -O0 -O2; do
		expect 0 "$HOTPATH" cc --hooks "$compiler" "$level" -w -fno-pie -no-pie program.c -o program
		./program > plain
		expect 0 "$HOTPATH" run --no-cpu --max-overhead 0 --limit 0 --format json -o report ./program
		cmp -s plain stdout || fail "$compiler $level: other output under the tool"
		calls=$(jq -c '[.functions_timing.data[] | select(.name == "one" or .name == "other") | .calls]' report)
		[ "$calls" = '[1000,1000]' ] || fail "$compiler $level: calls of others: $calls"
	done
done

exit "$failed"
