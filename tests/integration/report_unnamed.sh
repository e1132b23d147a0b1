#!/bin/sh
# SPDX-License-Identifier: MIT
# Files without symbols: one note for all processes, with what would help; and one row for each function, by where it begins.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
cc=${CC:-cc}
cd "$work"

# Two functions: one that allocates at three places and calls another, which computes.
cat > program.c << 'END'
#include <stdlib.h>
void *volatile kept[3];
__attribute__((noinline)) static void compute(void) { for (volatile long i = 0; i < 20000000; i++) ; }
__attribute__((noinline)) static void allocate(void)
{
	kept[0] = malloc(1000);
	compute();
	kept[1] = malloc(2000);
	compute();
	kept[2] = malloc(3000);
}
int main(void)
{
	for (int i = 0; i < 3; i++)
		allocate();
	return 0;
}
END
# shellcheck disable=SC2086
$cc -O1 -fno-omit-frame-pointer -o program program.c && cp program other && strip -s program other

# start NAME: where a function of the program begins, by the file with symbols.
# shellcheck disable=SC2086
$cc -O1 -fno-omit-frame-pointer -o named program.c
start() { nm named | awk -v name="$1" '$3 == name { sub(/^0*/, "", $1); print "program+0x" $1 }'; }

# rows: of the functions of the program in a section of the report.
rows() { jq -r ".$1.data[].name" stdout | grep '^program+0x' | sort || :; }

expect 0 "$HOTPATH" run --alloc --cpu --save saved ./program
expect 0 "$HOTPATH" report --format json --report alloc-bytes,cpu saved
[ "$(rows functions_alloc)" = "$(start allocate)" ] || fail "allocations: $(rows functions_alloc)"
rows functions_cpu | grep -qx "$(start compute)" || fail "samples: $(rows functions_cpu)"
[ "$(rows functions_cpu | uniq -d)" = '' ] || fail "a function has several rows: $(rows functions_cpu)"
expect 0 "$HOTPATH" report --callers "$(start compute)" saved
[ "$(grep -c "| $(start allocate) " stdout)" = 1 ] || fail "callers: $(cat stdout)"
expect 0 "$HOTPATH" export --format folded -o folded saved
grep -q ";$(start allocate);$(start compute) " folded || fail "export: $(cat folded)"
# Four functions at most have no name: one is _start, which the unwind tables lead to.
[ "$(grep -o "program+0x[0-9a-f]*" folded | sort -u | wc -l)" -le 4 ] || fail "export has call sites: $(cat folded)"

# Two programs of one run, one of them twice: one note.
expect 0 "$HOTPATH" run sh -c './program; ./other; ./program'
[ "$(grep -c 'no symbols' stderr)" = 1 ] || fail "not one note: $(cat stderr)"
says 'build program, other with -g and do not strip them, or link them with -rdynamic' stderr

# The program of a package, with the package of its symbols.
if grep -qx '/usr/bin/xz' /var/lib/dpkg/info/xz-utils.list 2> /dev/null && ! readelf -S "$(command -v xz)" | grep -q '\.symtab'; then
	"$BUILD/tests/programs/addresses" "$work/segment" /usr/bin/xz 6af0 5d30
	if ls /usr/lib/debug/.build-id/*/"$(readelf -n /usr/bin/xz | sed -n 's/.*Build ID: ..//p').debug" > /dev/null 2>&1; then
		echo 'xz has symbols: its package is not looked for'
	else
		expect 0 "$HOTPATH" report --format json "$work/segment"
		jq -e '.notes == ["no symbols for functions of xz: they are shown by address; install xz-utils-dbgsym, or set DEBUGINFOD_URLS"] and
			.unnamed_files == [{ path: "/usr/bin/xz", debug_package: "xz-utils-dbgsym" }]' stdout > log ||
			fail "$(cat stdout)"
	fi
fi

exit "$failed"
