#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables name the function that was inlined, and the one it is in, where the compiler has written it down.
# shellcheck disable=SC1091,SC2086,SC2154
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

# A function that was inlined in one that was inlined itself is called by that one, not by the one around both.
cat > nested.c << 'END'
#include <stdlib.h>

static void *volatile kept;

static inline __attribute__((always_inline)) void print(int n)
{
	char *copy = malloc(100);

	for (volatile int i = 0; i < 20000; i++)
		copy[0] = (char)n;
	kept = copy;
}

static inline __attribute__((always_inline)) void finish(int n)
{
	for (volatile int i = 0; i < 10000; i++)
		n++;
	print(n);
}

static inline __attribute__((always_inline)) void close_order(int n)
{
	finish(n + 1);
}

__attribute__((noinline)) static void order(int n)
{
	close_order(n);
	kept = NULL;
}

int main(void)
{
	for (int i = 0; i < 10000; i++)
		order(i);
	return 0;
}
END
gcc -O2 -g -fno-omit-frame-pointer nested.c -o nested
expect 0 "$HOTPATH" run --alloc --format json -o report ./nested
# All but two instructions of order are those of finish.
holds '.functions_cpu.data | (.[] | select(.name == "order")).inclusive_samples as $all |
	(.[] | select(.name == "finish (in order)")).inclusive_samples | . <= $all and . >= $all * 0.95'
# neighbours DIRECTION NAME: those that have been found, by samples and by allocations.
neighbours()
{
	expect 0 "$HOTPATH" report "--$1" "$2" --format json $from
	jq -r --arg list "$1" '[.[$list][].name, "|", .allocations[$list][].name] | join(" ")' stdout
}
chain()
{
	[ "$(neighbours callers print)" = 'finish (in order) | finish (in order)' ] ||
		fail "callers of print: $(neighbours callers print)"
	[ "$(neighbours callers finish)" = 'close_order (in order) | close_order (in order)' ] ||
		fail "callers of finish: $(neighbours callers finish)"
	[ "$(neighbours callees close_order)" = 'finish (in order) | finish (in order)' ] ||
		fail "callees of close_order: $(neighbours callees close_order)"
	[ "$(neighbours callees order)" = 'close_order (in order) | close_order (in order)' ] ||
		fail "callees of order: $(neighbours callees order)"
	expect 0 "$HOTPATH" report --stacks 1 $from
	stack=$(sed -n 's/^    \([a-z].*[^ ]\)  *\([a-z.]*:[0-9]*\)$/\1 \2/p' stdout | tr -s ' ' | head -n 5 | tr '\n' ',')
	[ "$stack" = 'print (in order) nested.c:7,finish (in order) nested.c:18,close_order (in order) nested.c:23,order nested.c:28,main nested.c:35,' ] ||
		fail "stack: $stack"
}
from=
chain
# So does a saved report.
expect 0 "$HOTPATH" report --save saved
from=saved
chain
# One that an earlier version has saved does not have what is between.
jq -c 'walk(if type == "object" then del(.between) else . end)' saved > earlier
from=earlier
[ "$(neighbours callers print)" = 'order | order' ] || fail "earlier: $(neighbours callers print)"
# A damaged one is refused.
jq -c '.alloc_stacks.frames[0].between = [{ "name": 7 }]' saved > damaged
expect 2 "$HOTPATH" report damaged
jq -c '.alloc_stacks.frames[0].between = [range(300) | { "name": "f" }]' saved > damaged
expect 2 "$HOTPATH" report damaged
says 'too many inlined functions' stderr

# Nothing is known of that without -g, and symbols are all there is.
gcc -O2 -fno-omit-frame-pointer shop.c -o shop
sampled perf ./shop
holds '.functions_cpu.data[0].name == "worker"'
expect 0 "$HOTPATH" run --alloc --format json -o report ./shop
holds '[.functions_alloc.data[].name] | index("worker") != null'

exit "$failed"
