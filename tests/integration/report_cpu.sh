#!/bin/sh
# SPDX-License-Identifier: MIT
# CPU time in the report: by measured function, by symbol, with a verdict; and saved, the same again.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
cd "$work"

# is JQ FILE: what must hold of a report.
is() { jq -e "$1" "$2" > /dev/null || fail "not $1: $(jq -c '.functions_cpu, .bottlenecks' "$2")"; }

verdicts='.bottlenecks.data | map({(.name): .verdict}) | add |
	.sync_work == "cpu" and .sync_sleep == "wait"'
hottest='.functions_cpu.data[0].name == "sync_work"'

# Timers look at it ten times in all, and others may take the processor away: a run may be wrong by chance.
run_overview()
{
	for try in 1 2 3 4 5; do
		expect 0 "$HOTPATH" run --cpu --alloc --format json -o overview.json "$BUILD/examples/overview"
		! jq -e "($verdicts) and ($hottest)" overview.json > /dev/null || return 0
		echo "try $try: $(jq -c .bottlenecks.data overview.json)"
	done
}

for source in perf timer; do
	export HOTPATH_CPU_SOURCE=$source
	run_overview
	is "$verdicts" overview.json
	is '.functions_cpu | .source == "perf" or .source == "timer"' overview.json
	is '.functions_cpu | .total_samples >= .attributed_samples and .attributed_samples > 0' overview.json
	# All of it is there, and in inclusive figures no less.
	is '.functions_cpu | ([.data[].samples] | add) == .total_samples' overview.json
	is '.functions_cpu.data | map(.name) | index("<outside>")' overview.json
	is '.functions_cpu.data | all(.inclusive_samples >= .samples)' overview.json
	is "$hottest" overview.json
	is '.bottlenecks.data | map(select(.verdict)) | all(.cpu_ns + .queue_ns + .wait_ns == .wall_ns and .alloc_ns <= .cpu_ns)' overview.json
	# What allocates is so short that it may have no sample, and then no sentence.
	is '.bottlenecks.summary | length >= 2 and (.[0] | startswith("sync_sleep waits"))' overview.json
	# Of so short a time nothing is claimed, unless others had the processor meanwhile and it was long.
	is '.bottlenecks.data[] | select(.name == "sync_alloc") | .confidence == "low" or .wall_ns > 20000000' overview.json
	# Stacks name what is there.
	is '.stacks as $s | .stacks.stacks | length > 0 and all(.frames | all(. < ($s.frames | length)))' overview.json
	is '.stacks.frames | any(.kind == "measured" and .name == "sync_work")' overview.json
	is '.stacks.frames | any(.kind == "code" and .name == "main")' overview.json
done
unset HOTPATH_CPU_SOURCE

# The last run again: of its segment, saved, and of what was saved.
expect 0 "$HOTPATH" report --save first.json
expect 0 "$HOTPATH" report --save second.json first.json
for what in first second; do
	jq -c '.functions_cpu, .bottlenecks, .stacks' "$what.json" > "$what.cpu"
done
cmp first.cpu second.cpu || fail 'what was saved is another report'
for what in first.json second.json; do
	expect 0 "$HOTPATH" report --report cpu,bottlenecks --cpu-inclusive "$what"
	says 'rows overlap' stdout
	grep -q '^| sync_work .*|  *cpu' stdout || fail "no verdict: $(cat stdout)"
done

# Nothing measured, with symbols and without.
cat > program.c << 'END'
#include <time.h>
volatile unsigned long sum;
static void __attribute__((noinline)) burn(void)
{
	for (int i = 0; i < 100000; i++)
		sum += (unsigned long)i * sum;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		burn();
	return 0;
}
END
gcc -O1 -fno-omit-frame-pointer program.c -o program
strip -o stripped program
expect 0 "$HOTPATH" run --cpu --format json -o program.json ./program
is '.functions_cpu | .attributed_samples == 0 and .data[0].name == "burn"' program.json
is '.functions_cpu.data | map(select(.name == "main")) | .[0].inclusive_samples > .[0].samples' program.json
is '.bottlenecks.data | length == 1 and .[0].name == "program"' program.json
expect 0 "$HOTPATH" run --cpu --format json -o stripped.json ./stripped
is '.functions_cpu.data[0].name | test("^stripped\\+0x[0-9a-f]+$")' stripped.json
expect 0 "$HOTPATH" run --cpu ./program
says 'No function was measured' stderr
grep -q '^| burn ' stderr || fail "no symbol: $(cat stderr)"

# What used no CPU time to speak of.
expect 0 "$HOTPATH" run --cpu true
grep -q 'No CPU time was sampled: the program used only .*, and a sample stands for 1.00 ms.' stderr ||
	fail "no reason: $(cat stderr)"

exit "$failed"
