#!/bin/sh
# SPDX-License-Identifier: MIT
# However a program is built, sleds change neither what it does nor whether it can be built, and every call is counted.
# shellcheck disable=SC1091,SC2086,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/sleds_common.sh"

case $compiler in
*++) source=$sources/sleds_kinds.cpp ;;
*) source=$sources/sleds_kinds.c ;;
esac

# Ways to build a program, one in each line; "lld:" is for where this linker is installed, "gcc:" for one compiler, "x86_64:"
# for one machine, before these. On aarch64 the linker refuses what clang makes of an ifunc with -O0.
measured='
x86_64: -O0
aarch64: gcc: -O0
aarch64: clang: -O0 -DNO_IFUNC
-O1 -fno-omit-frame-pointer
-O2
x86_64: -O3 -march=native
-Os
-Og -g
-O2 -g3 -gdwarf-5
-O2 -ggdb -fdebug-prefix-map=/tmp=/elsewhere -ffile-prefix-map=/usr=/other
-O2 -pipe
-O2 -save-temps=obj
-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
x86_64: -O2 -fcf-protection=full
x86_64: -O2 -g -fcf-protection=branch
-O2 -fno-pie -no-pie
-O2 -fPIE -pie
-O2 -fPIC -fvisibility=hidden
-O2 -static
-O2 -static-pie
-O2 -fno-plt -Wl,-z,now
-O2 -fno-asynchronous-unwind-tables
-O2 -fpatchable-function-entry=2
-O2 -fpatchable-function-entry=5,3
x86_64: -O2 -fpatchable-function-entry=3,1 -fcf-protection=full
-Os -fpatchable-function-entry=2,2
-O2 -fstack-protector-all -fstack-clash-protection -D_FORTIFY_SOURCE=2
-O2 -fverbose-asm
-O2 -fno-ident
-O2 -Wa,--noexecstack,--fatal-warnings
x86_64: -O2 -Wa,-mbranches-within-32B-boundaries
-O2 -fno-optimize-sibling-calls
-O1 -fsanitize=address
-O1 -fsanitize=thread -DNO_IFUNC
gcc: -O1 -fsanitize=undefined
-O2 --coverage
-O2 -fuse-ld=bfd
gold: -O2 -fuse-ld=gold
gold: -O2 -fuse-ld=gold -ffunction-sections -Wl,--gc-sections,--icf=all
lld: -O2 -fuse-ld=lld -DNO_NESTED
lld: -O2 -fuse-ld=lld -DNO_NESTED -ffunction-sections -Wl,--gc-sections,--icf=all
x86_64: gcc: -O2 -masm=intel -DNO_ATT
x86_64: gcc: -O2 -masm=intel -DNO_ATT -fcf-protection=none
gcc: -O2 -flto
gcc: -O2 -flto=2 -fno-fat-lto-objects -g
gcc: -O2 -flto -ffat-lto-objects -static
gcc: -O2 -flto -fno-pie -no-pie
gcc: -O2 -pg
x86_64: gcc: -O2 -pg -mfentry -fno-pie -no-pie
gcc: -O2 -frecord-gcc-switches -fno-dwarf2-cfi-asm
gcc: -O2 -mharden-sls=all
x86_64: gcc: -O2 -mfunction-return=thunk -fcf-protection=none
x86_64: gcc: -O2 -mfunction-return=thunk -masm=intel -DNO_ATT -fcf-protection=none -flto
x86_64: gcc: -O2 -mfunction-return=thunk-inline -fcf-protection=none
gcc: -O2 -freorder-blocks-and-partition -fprofile-generate
gcc: -O2 -fno-ipa-ra -fno-toplevel-reorder
clang: -O2 -fno-integrated-as
x86_64: clang: -O2 -mretpoline -fcf-protection=none
x86_64: clang: -O2 -fbasic-block-sections=all
clang: -O2 -mllvm -hot-cold-split=true
x86_64: clang: -O1 -fsanitize=function
x86_64: clang: -O2 -fsanitize=function -fcf-protection=full
aarch64: gcc: -O3 -march=native
aarch64: gcc: -O3 -mcpu=native
aarch64: clang: -O3 -mcpu=cortex-a53
aarch64: -O2 -mbranch-protection=standard
aarch64: -O2 -g -mbranch-protection=bti
aarch64: -O2 -mbranch-protection=pac-ret
aarch64: -Os -mbranch-protection=pac-ret+leaf+b-key
aarch64: -O2 -mbranch-protection=standard -fpatchable-function-entry=3,1
aarch64: -O2 -mbranch-protection=standard -static
aarch64: gcc: -O2 -mbranch-protection=standard -flto
aarch64: clang: -O2 -mharden-sls=all
aarch64: -O2 -mharden-sls=retbr -mbranch-protection=standard
aarch64: -O2 -mcmodel=tiny -fno-pie -no-pie
aarch64: -O2 -mcmodel=large -fno-pie -no-pie
aarch64: -O2 -mno-omit-leaf-frame-pointer
aarch64: -O2 -mfix-cortex-a53-835769
aarch64: gcc: -O2 -mfix-cortex-a53-843419
aarch64: gcc: -O2 -mpc-relative-literal-loads
aarch64: clang: -Oz
aarch64: clang: -O2 -moutline
'

# Programs that are only in part measured, or not at all.
unmeasured='
x86_64: -O2 -Wa,-mlfence-before-ret=shl
x86_64: gcc: -O2 -mindirect-branch=thunk -mfunction-return=thunk -fcf-protection=none
clang: -O2 -fno-verbose-asm
clang: -O2 -faddrsig
clang: -O2 -flto -DNO_ATT
x86_64: clang: -O2 -masm=intel -DNO_ATT
clang: -O2 -fintegrated-as -DNO_ATT
gcc: -O2 -fno-instrument-functions
'

# of_machine: lines that are for others are left out.
of_machine() { sed "s/^$(uname -m): //; /^x86_64:/d; /^aarch64:/d"; }

# of_compiler: and so are those for other compilers.
of_compiler()
{
	case $compiler in
	g*) sed '/^$/d; /^clang:/d; s/^gcc: //' ;;
	*) sed '/^$/d; /^gcc:/d; s/^clang: //' ;;
	esac
}

# way LINE
way()
{
	options=$1
	case $options in
	*': '*)
		command -v "ld.${options%%:*}" > /dev/null || return 0
		options=${options#*: }
		;;
	esac
	built "$compiler $options" "$compiler" $options -w "$source" -o program -lm &&
		measured "$compiler $options" ./program
}

# unmeasured_way LINE: the program does the same, and there is one line at most to say why.
unmeasured_way()
{
	compiled "$compiler $1" "$compiler" $1 -w "$source" -o program -lm && runs "$compiler $1" ./program
	[ "$(wc -l < said)" -le 1 ] || fail "$compiler $1: says $(head -n 5 said)"
}

# each CHECK LINES
each()
{
	printf '%s' "$2" | of_machine | of_compiler > lines
	while read -r line <&3; do
		"$1" "$line" || :
	done 3< lines
}

"$compiler" -O1 -w "$source" -o plain -lm 2> log || fail "$(cat log)"
./plain > expected
each way "$measured"
each unmeasured_way "$unmeasured"

exit "$failed"
