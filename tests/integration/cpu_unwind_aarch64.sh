#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of programs of aarch64 without frame pointers, in an emulator, are those that the source says. The emulator cannot read
# other stacks for the recorder, and its signal handlers return to code that no file has: these are left out.
# shellcheck disable=SC1091,SC2086,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/aarch64_common.sh"
cd "$work"

# run PROGRAM [ARGUMENT]
run()
{
	rm -f "$work/segments"/*
	HOTPATH_CPU=1 HOTPATH_RUN=1 expect 0 $emulator -E "LD_PRELOAD=$library" "$@"
	"$HOTPATH" report --format json "$work/segments"/*.seg > sampled.json 2> messages
	whole=$(jq .functions_cpu.whole_percent sampled.json)
}

# sampled LEAST PROGRAM [ARGUMENT]: so many percent of the stacks are whole, and all are in the file "folded". A sample that came
# late stands for a long time; so there are three tries.
sampled()
{
	least=$1
	shift
	for _ in 1 2 3; do
		run "$@"
		[ "${whole%.*}" -lt "$least" ] || break
	done
	[ "${whole%.*}" -ge "$least" ] || fail "$1: only $whole % of the stacks are whole: $(cat messages)"
	"$HOTPATH" export --format folded -o folded "$work/segments"/*.seg
}

# has FUNCTION PATTERN: there are stacks with the function, and all of them match.
has()
{
	grep ";$1[; ]" folded > having || fail "no stack has $1: $(cat folded)"
	! grep -qv ";_start;__libc_start_main[^;]*;\(libc[^;]*;\)*main;$2" having ||
		fail "$1 is not always in '$2': $(cat having)"
}

aarch64-linux-gnu-gcc -O2 -fomit-frame-pointer "$root/tests/programs/nested.c" -o nested
sampled 98 ./nested 'on its own stack'
# The emulator interrupts between blocks of code, and so often after a call.
has deep '\(deep;\)*\(deep\|work\) '
grep -q ";main;$(printf '%041d' 0 | sed 's/0/deep;/g')work " folded || fail "not all of a recursion: $(cat folded)"
has aligns 'aligns\(;work\)* '
has varies 'varies\(;work\)* '
has by_key 'sorts;.*by_key\(;work\)* '
has strcmp 'compares;strcmp '
has leaves 'jumps;leaves'

# The unwinder of C++ replaces its own return address. Linkers write no unwind tables for stubs.
aarch64-linux-gnu-g++ -O2 -fomit-frame-pointer "$root/tests/programs/throws.cpp" -o throws
sampled 98 ./throws 1 2 3 4 5 6 7
grep -q ';main;catches;between;thrower;__cxa_throw;_Unwind_RaiseException' folded || fail "no throw in its caller: $(cat folded)"
grep -q ';main;catches;.*@plt ' folded || fail "no stub has its callers: $(cat folded)"

exit "$failed"
