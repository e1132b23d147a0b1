#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of programs of aarch64 without frame pointers, on a real kernel, are those that the source says: also in signal handlers, on
# other stacks, while C++ throws, and with signed return addresses.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/aarch64_common.sh"
. "$(dirname "$0")/aarch64_machine.sh"
cd "$work"

# sampled LEAST NAME: so many percent of its stacks are whole, and all are in the file "folded". One may be lost where code is first met,
# and a sample at the beginning stands for a long time.
sampled()
{
	ended_well "$2"
	"$HOTPATH" report --format json "$machine/$2"-*.seg > sampled.json 2> messages
	"$HOTPATH" export --format folded -o folded "$machine/$2"-*.seg
	[ "$(jq .functions_cpu.total_samples sampled.json)" -gt 500 ] || fail "$2: few samples: $(cat folded)"
	[ "$(jq ".functions_cpu.whole_percent >= $1" sampled.json)" = true ] ||
		fail "$2: only $(jq .functions_cpu.whole_percent sampled.json) % of the stacks are whole: $(cat messages folded)"
	name=$2
}

# has FUNCTION PATTERN: there are stacks with the function, and all of them match.
has()
{
	grep ";$1[; ]" folded | grep -v '\[cut off\]' > having || fail "$name: no stack has $1: $(cat folded)"
	! grep -qv ";_start;__libc_start_main[^;]*;\(libc[^;]*;\)*main;$2" having ||
		fail "$name: $1 is not always in '$2': $(cat having)"
}

for protection in none standard; do
	options="-O2 -fomit-frame-pointer -mbranch-protection=$protection"
	# shellcheck disable=SC2086
	aarch64-linux-gnu-gcc -DFRACTION=10 $options "$root/tests/programs/nested.c" -o "nested_$protection"
	# shellcheck disable=SC2086
	aarch64-linux-gnu-g++ $options "$root/tests/programs/throws.cpp" -o "throws_$protection"
	in_machine "nested_$protection" HOTPATH_RUN=1 HOTPATH_CPU=1 "LD_PRELOAD=$library" "$work/nested_$protection"
	in_machine "throws_$protection" HOTPATH_RUN=1 HOTPATH_CPU=1 "LD_PRELOAD=$library" "$work/throws_$protection" 1 2 3 4 5 6 7
done
boot 600

for protection in none standard; do
	sampled 98 "nested_$protection"
	has deep '\(deep;\)*\(deep\|work\) '
	has aligns 'aligns\(;work\)* '
	has varies 'varies\(;work\)* '
	has by_key 'sorts;.*by_key\(;work\)* '
	has strcmp 'compares;\(strcmp\|.*ld-linux.*\) '
	has leaves 'jumps;leaves'
	has siglongjmp 'jumps;leaves;siglongjmp'
	has clock_gettime 'asks;clock_gettime'
	grep -q ';main;asks;clock_gettime;\[vdso\]' folded || fail "$name: no stack of the vDSO: $(cat folded)"
	has interrupted 'interrupted;raise;.*;\[vdso\][^;]*;on_signal\(;in_handler\(;work\)*\)* '
	has interrupted_elsewhere 'interrupted_elsewhere;raise;.*;\[vdso\][^;]*;on_signal\(;in_handler\(;work\)*\)* '
	grep -q ';coroutine;in_coroutine;work ' folded || fail "$name: no stack of the coroutine: $(cat folded)"

	sampled 98 "throws_$protection"
	has thrower 'catches;\(between\|rethrows\);thrower'
	# At its last instruction, the unwinder is where the landing pad is.
	landed='\(catches;\)*\(\(between\|raises\|rethrows\);\)*_Unwind_[A-Za-z]* [0-9]*$'
	has _Unwind_RaiseException "\\(catches;\\(\\(between\\|rethrows\\);thrower;__cxa_throw\\|rethrows;__cxa_rethrow;_Unwind_Resume_or_Rethrow\\|raises\\);_Unwind_RaiseException\\|$landed\\)"
	has _Unwind_Resume "\\(catches;\\(between\\|raises\\|rethrows\\);_Unwind_Resume\\|$landed\\)"
done

exit "$failed"
