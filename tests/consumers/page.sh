#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports as a page, in a browser without a network: every view, its figures, its keys, and names that mean harm.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium python3 gcc
needs_module axe-core playwright-core
mkdir -p "$BUILD/consumers"
here=$(dirname "$0")

# show SCRIPT ARGUMENT...
show()
{
	script=$1
	shift
	"$node" "$here/$script" "$@" || failed=1
}

# size FILE: less than 400 KB.
size() { [ "$(wc -c < "$1")" -lt 400000 ] || fail "$1 has $(wc -c < "$1") bytes"; }

show page_format.mjs
show page_query.mjs

# A program with locks, allocations, samples, channels and values, until timeout ends it.
"$HOTPATH" run --all --format none --save "$work/shop.json" timeout -s INT 3 "$BUILD/src/demo/hotpath-demo" || true
[ -s "$work/shop.json" ] || fail "the demo does not run"
"$HOTPATH" report --process hotpath-demo --format json --report all --limit 0 "$work/shop.json" > "$work/figures.json"
"$HOTPATH" report --process hotpath-demo --format html "$work/shop.json" > "$work/shop.html"
size "$work/shop.html"
show page.mjs "$work/shop.html" "$work/figures.json" "$BUILD/consumers/page.png"
show page_access.mjs "$work/shop.html"

# Names that mean harm, wherever a name may be.
python3 "$here/hostile.py" "$work/shop.json" > "$work/hostile.json"
"$HOTPATH" report --process hotpath-demo --format html "$work/hostile.json" > "$work/hostile.html"
show page_hostile.mjs "$work/hostile.html" "$BUILD/consumers/page-hostile.png"

# 500 functions, with everything that can be recorded of them.
awk 'BEGIN {
	print "#include <stdlib.h>\nstatic volatile int sink;"
	for (i = 0; i < 500; i++)
		printf "__attribute__((noinline)) void function_number_%d(int n) { free(malloc(n + %d)); for (int i = 0; i < n; i++) sink += i; }\n", i, i
	print "int main(void) { for (int n = 0; n < 400; n++) {"
	for (i = 0; i < 500; i++)
		printf "function_number_%d(n);\n", i
	print "} return 0; }"
}' > "$work/many.c"
"$HOTPATH" cc gcc -O1 -g "$work/many.c" -o "$work/many" || fail "hotpath cc does not compile 500 functions"
"$HOTPATH" run --all --max-overhead 0 --format html -o "$work/many.html" "$work/many"
size "$work/many.html"
echo "500 functions: $(wc -c < "$work/many.html") bytes"
show page_many.mjs "$work/many.html"

# A comparison.
for side in base head; do
	"$HOTPATH" run --no-cpu --format none --save "$work/$side.json" "$BUILD/examples/basic" > "$work/stdout" ||
		fail "the example does not run"
done
"$HOTPATH" compare --fail-on none --format json "$work/base.json" "$work/head.json" > "$work/compared.json" ||
	fail "they cannot be compared"
"$HOTPATH" compare --fail-on none --format html "$work/base.json" "$work/head.json" > "$work/compared.html" ||
	fail "no page of a comparison"
show page_compare.mjs "$work/compared.html" "$work/compared.json" "$BUILD/consumers/page-compare.png"

exit "$failed"
