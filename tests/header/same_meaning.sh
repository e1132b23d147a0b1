#!/bin/sh
# SPDX-License-Identifier: MIT
# A program does the same with the macros on and off, whether something is recorded or not, as C and as C++, with both compilers.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run COMPILER LANGUAGE ON WANTED: prints what the program prints.
run()
{
	"$1" -x "$2" -O1 "-DHOTPATH_ENABLE=$3" "-DWANTED=$4" -I"$here/../../include" "$here/same_meaning.c" \
		-o "$work/program"
	"$work/program"
}

run gcc c 0 0 > "$work/expected"
for compiler in gcc clang; do
	for language in c c++; do
		# Left out by the compiler; the library called; and not called, because nothing is recorded.
		for on in '0 0' '1 1' '1 0'; do
			run "$compiler" "$language" "${on% *}" "${on#* }" > "$work/actual"
			diff -u "$work/expected" "$work/actual"
		done
	done
done
