#!/bin/sh
# SPDX-License-Identifier: MIT
# Exceptions, objects that outlive main, and the names that C++ has.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
unseen=outer::thrower::throws
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# mine: without the rows of the standard library, and what starts the program.
mine='[.functions_timing.data[] | select(.name | test("std::|__gnu_cxx|^__|^_GLOBAL_|thrower::thrower") | not)]
	| map({(.name | sub("\\$_0"; "{lambda(int)#1}")): .calls}) | add'

for compiler in $compilers; do
	case $compiler-$how in
	gcc-hooks) compiler=g++ left=0 ;;
	# These functions do not say so when an exception leaves them: four, one and one in each of 500 rounds.
	gcc-*) compiler="g++ $no_copies" left=2500 ;;
	*-hooks) compiler=clang++ left=3000 ;;
	*) compiler=clang++ left=2500 ;;
	esac
	command -v "${compiler%% *}" > /dev/null || continue
	for level in -O0 '-O2 -fno-inline'; do
		program=$work/functions_cpp built="$compiler $level"
		# shellcheck disable=SC2086
		"$HOTPATH" cc $hooks $compiler $level -std=gnu++17 -w -pthread "-I$source_folder/include" \
			"$sources/functions_cpp.cpp" -o "$program" || fail "$built: does not compile"
		traced
		expected=$(sed -n 's/^\([^@ ].*\) \([0-9]*\)$/"\1": \2/p' "$work/truth" |
			sed 's/anonymous-namespace/anonymous namespace/' | paste -sd, | sed 's/.*/{&}/')
		holds "$mine == $expected"
		all_closed
		if [ "$left" = 0 ]; then
			nothing_lost
		else
			lost abandoned "$left"
		fi
	done
done

exit "$failed"
