#!/bin/sh
# SPDX-License-Identifier: MIT
# Sleds of aarch64, in an emulator: programs compute the same with them, armed or not, and every call is counted.
# shellcheck disable=SC1091,SC2016,SC2034,SC2086,SC2154,SC2317,SC3045
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/aarch64_common.sh"
source=$root/tests/programs/sled_registers.c

# compiled OPTIONS SOURCE OUTPUT
compiled()
{
	built="hotpath cc aarch64-linux-gnu-gcc $1"
	"$HOTPATH" cc aarch64-linux-gnu-gcc -w -pthread $1 "$2" -o "$3" || {
		fail "$built: does not compile"
		exit 1
	}
}

# looks OPTIONS FUNCTION INSTRUCTIONS: the instructions of a function of $work/small.c.
looks()
{
	compiled "-c $1" "$work/small.c" "$work/small.o"
	[ "$(aarch64-linux-gnu-objdump -d --no-show-raw-insn "--disassemble=$2" "$work/small.o" |
		sed -n 's/^ *[0-9a-f]*:[[:space:]]*//p' | sed 's/[[:space:]]\{1,\}/ /g; s/ [0-9a-f]* <\(.*\)>/ \1/' | paste -sd';')" = "$3" ] ||
		fail "$built: $2 is: $(aarch64-linux-gnu-objdump -d "--disassemble=$2" "$work/small.o" | tail -n +7)"
}

# ends_by NAME INSTRUCTION: the last instruction of a function of the library.
ends_by()
{
	[ "$(aarch64-linux-gnu-objdump -d --no-show-raw-insn "--disassemble=$1" "$library" |
		sed -n 's/^ *[0-9a-f]*:[[:space:]]*//p' | tail -n 1 | tr '\t' ' ')" = "$2" ] || fail "$1 does not end by '$2'"
}

# computes_same FILE: what the program printed here is what it prints everywhere.
computes_same() { cmp -s "$1" "$work/everywhere" || fail "$built: wrong: $(diff "$1" "$work/everywhere")"; }

# checked OPTIONS
checked()
{
	compiled "$1" "$source" "$work/program"
	expect 0 $emulator "$work/program"
	computes_same "$work/stdout"
	rm -f "$work/segments"/*
	what=$built
	HOTPATH_RUN=1 limited $emulator -E "LD_PRELOAD=$library" "$work/program"
	computes_same "$work/truth"
	"$HOTPATH" report --format json "$work/segments"/*.seg 2> "$work/stderr" |
		jq '(.functions_timing.data // [])[].name |= sub("[.][0-9]+$"; "")' > "$work/report"
	agrees
	holds '$row | all(.open == 0)'
	lost abandoned "$(fact abandoned)"
}

cat > "$work/small.c" << 'END'
int other(int);
int leaf(int value) { return value + 1; }
int calls(int value) { return other(value) + 1; }
int jumps(int value) { return other(value + 1); }
END
entry='mov x9, x30;nop'
looks -O2 leaf "$entry;add w0, w0, #0x1;nop;ret"
looks -Os calls "$entry;stp x29, x30, [sp, #-16]!;mov x29, sp;bl other;add w0, w0, #0x1;ldp x29, x30, [sp], #16;nop;ret"
looks '-O2 -fPIC' jumps "$entry;add w0, w0, #0x1;mov x9, x30;nop;b other"
# Indirect calls lead to the first instruction, and the address is signed where it is still the caller's.
standard='-O2 -mbranch-protection=standard'
looks "$standard" leaf "bti c;$entry;add w0, w0, #0x1;nop;ret"
looks "$standard" calls \
	"bti c;$entry;paciasp;stp x29, x30, [sp, #-16]!;mov x29, sp;bl other;add w0, w0, #0x1;ldp x29, x30, [sp], #16;autiasp;nop;ret"
looks "$standard" jumps "bti c;$entry;add w0, w0, #0x1;$entry;b other"
looks "$standard -march=armv8.3-a" calls \
	"bti c;$entry;paciasp;stp x29, x30, [sp, #-16]!;mov x29, sp;bl other;add w0, w0, #0x1;ldp x29, x30, [sp], #16;$entry;retaa"

# Most branches of aarch64 that test a bit reach 32 KB. One that only just does so without sleds is compiled all the same.
{
	echo 'int far(int x, int y) { if (x & 4) { __asm__ volatile("'
	yes 'nop\n' | head -n 7920 | tr -d '\n'
	echo '");'
	for number in $(seq 60); do
		echo "if (y == $number) { __asm__ volatile(\"nop\"); return other$number(x); }"
	done
	echo '__asm__ volatile("nop"); } return y; }'
} | tr -d '\n' > "$work/far.c"
compiled '-Os -c' "$work/far.c" "$work/far.o" 2> "$work/stderr"
says 'are not measured' "$work/stderr"

# A sled calls: the return from that is what the processor predicts.
ends_by hotpath__sled_enter 'ret x10'
ends_by hotpath__sled_jump 'ret x10'
ends_by hotpath__sled_return ret

gcc -w -pthread "$source" -o "$work/native"
"$work/native" > "$work/everywhere"
checked -O0
checked '-Os -no-pie'
checked "$standard -fPIC -march=armv8.5-a+sve"
checked '-O2 -flto'

# Code is changed while threads execute it.
checked '-O2 -freorder-blocks-and-partition'
rm -f "$work/segments"/*
expect 0 $emulator -E "LD_PRELOAD=$library" "$work/program" sessions
computes_same "$work/stdout"
"$HOTPATH" report --format json "$work/segments"/*.seg > "$work/report" 2> "$work/stderr"
what='sessions'
holds '$row | length > 10 and all(.calls > 0 or .open > 0)'

exit "$failed"
