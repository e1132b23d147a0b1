#!/bin/sh
# SPDX-License-Identifier: MIT
# Where every function gets hooks, one with HOTPATH_SKIP gets none, nor does any of the header's own.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

cat > "$work/subject.c" << END
#include <hotpath.h>
#include <stdbool.h>
int taken(int n);
int declared(int n);
HOTPATH_SKIP int declared(int n);
int declared(int n) { return n; }
HOTPATH_SKIP static int defined(int n) { return n; }
int taken(int n)
{
	HOTPATH_MEASURE();
	hotpath_start(0);
	HOTPATH_THREAD_NAME("name");
	if (n == 1)
		HOTPATH_RETURN(2.0F);
	if (n == 2)
		HOTPATH_RETURN(true);
	HOTPATH_RETURN(declared(n) + defined(n) + hotpath_stop());
}
END
cp "$work/subject.c" "$work/subject.cpp"

# hooks COMPILER SOURCE ON: how many functions say that they are entered, without optimisation.
hooks()
{
	"$1" -O0 -S -finstrument-functions "-DHOTPATH_ENABLE=$3" -I"$here/../../include" \
		"$work/$2" -o "$work/subject.s"
	grep -cE '(call|bl).*__cyg_profile_func_enter' "$work/subject.s"
}

# one_hook COMPILER SOURCE
one_hook()
{
	for on in 0 1; do
		count=$(hooks "$1" "$2" "$on") || true
		[ "$count" = 1 ] && continue
		echo "FAILED: $1, HOTPATH_ENABLE=$on: $count functions are measured, not 1"
		failed=1
	done
}

for compiler in gcc clang; do
	one_hook "$compiler" subject.c
done
for compiler in g++ clang++; do
	one_hook "$compiler" subject.cpp
done
exit "$failed"
