#!/bin/sh
# SPDX-License-Identifier: MIT
# What aarch64 does on a real kernel, and an emulator of processes cannot show: threads execute sleds that are armed and disarmed,
# waits and allocations of threads are those that programs count themselves.
# shellcheck disable=SC1091,SC2016,SC2034,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/waits_common.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/alloc_common.sh"
. "$(dirname "$0")/aarch64_common.sh"
. "$(dirname "$0")/aarch64_machine.sh"
sources=$root/tests/programs
waits=$objects/src/probes/waits/libhotpath-waits.so
alloc=$objects/src/probes/alloc/libhotpath-alloc.so
options='-std=gnu11 -D_GNU_SOURCE -w -pthread -O2'

# printed NAME: what it printed, without its status.
printed() { sed '$d' "$machine/$1.out"; }

# read_report NAME: its segment, as $work/report, and what it printed, as $work/truth.
read_report()
{
	what="$1 in the machine" broken=
	ended_well "$1"
	printed "$1" > "$work/truth"
	# shellcheck disable=SC2012
	segment=$(ls "$machine/$1"-*.seg | sort -V | head -n 1)
	"$HOTPATH" report --format json --limit 0 --waits-limit 0 "$segment" 2> "$work/stderr" |
		jq 'if .functions_timing.data then .functions_timing.data[].name |= sub("[.][0-9]+$"; "") else . end' > "$work/report"
	[ -s "$work/report" ] || fail "$what: no report: $(cat "$work/stderr" "$machine/$1.out")"
}

gcc -w -pthread "$sources/sled_registers.c" -o "$work/native"
"$work/native" > "$work/everywhere"
# shellcheck disable=SC2086
"$HOTPATH" cc aarch64-linux-gnu-gcc $options -mbranch-protection=standard "$sources/sled_registers.c" -o "$work/sled_registers"
# shellcheck disable=SC2086
aarch64-linux-gnu-gcc $options -finstrument-functions -DFRACTION=20 "-I$root/include" "$sources/alloc_threads.c" -o "$work/alloc_threads"
for program in wait_kinds wait_leaves; do
	# shellcheck disable=SC2086
	aarch64-linux-gnu-gcc $options -fno-optimize-sibling-calls "$sources/$program.c" -o "$work/$program"
done

in_machine sleds HOTPATH_RUN=1 HOTPATH_MAX_OVERHEAD=0 "LD_PRELOAD=$library" "$work/sled_registers"
in_machine sessions HOTPATH_MAX_OVERHEAD=0 HOTPATH_OUTPUT_FORMAT=none "LD_PRELOAD=$library" "$work/sled_registers" sessions
for mode in live count; do
	in_machine "alloc_$mode" HOTPATH_RUN=1 HOTPATH_MAX_OVERHEAD=0 "HOTPATH_ALLOC=$mode" "LD_PRELOAD=$alloc:$library" \
		"$work/alloc_threads" handover
done
for program in wait_kinds wait_leaves; do
	in_machine "$program" HOTPATH_RUN=1 HOTPATH_WAITS=1 "LD_PRELOAD=$waits" "$work/$program"
	in_machine "${program}_plain" "$work/$program"
done
boot 600

read_report sleds
cmp -s "$work/truth" "$work/everywhere" || fail "sleds: wrong: $(diff "$work/truth" "$work/everywhere")"
agrees
holds '$row | all(.open == 0)'
lost abandoned "$(fact abandoned)"

read_report sessions
cmp -s "$work/truth" "$work/everywhere" || fail "sessions: wrong: $(diff "$work/truth" "$work/everywhere")"
holds '$row | length > 10 and all(.calls > 0 or .open > 0)'

for mode in live count; do
	read_report "alloc_$mode"
	allocates
done

for program in wait_kinds wait_leaves; do
	name=$program
	read_report "$program"
	ended_well "${program}_plain"
	printed "$program" > "$work/stdout"
	printed "${program}_plain" > "$work/plain"
	cmp -s "$work/plain" "$work/stdout" || fail "$program: $(diff "$work/plain" "$work/stdout")"
	tells "$work/report"
done

exit "$failed"
