#!/bin/sh
# SPDX-License-Identifier: MIT
# What measuring costs is kept within a limit: functions that are too short are counted, or not measured; and that is told.
# shellcheck disable=SC1091,SC2016,SC2034,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
sources=$(cd "$(dirname "$0")/../programs" && pwd)
program=$work/sleds_governed
unset HOTPATH_MAX_OVERHEAD

"$HOTPATH" cc gcc -O2 "$sources/sleds_governed.c" -o "$program"

# Without a limit, every call is timed.
HOTPATH_MAX_OVERHEAD=0 by_tool "$program" 20
agrees
nothing_lost
holds '.functions_timing.data | all(.measured == "timed" and .counted_calls == 0)'

# Those that are long are timed; of the others no more calls are known than there were.
by_tool "$program" 200
nothing_lost
holds '$row | .main.measured == "timed" and .long_one.measured == "timed" and .one_round.measured == "timed"'
holds "\$row | .main.calls == 1 and .long_one.calls == $(calls long_one) and .one_round.calls == $(calls one_round)"
holds "\$row.short_one | .measured != \"timed\" and .calls > 0 and .calls + .counted_calls <= $(calls short_one)"
holds "\$row.short_one | .measured == \"partly\" or .calls + .counted_calls == $(calls short_one)"

HOTPATH_CLOCK=monotonic by_tool "$program" 200
holds '$row | .short_one.measured != "timed" and .long_one.measured == "timed"'

# The report marks it, and names it.
"$HOTPATH" run --no-cpu --max-overhead 10 "$program" 200 > /dev/null 2> "$work/text"
grep -q '^A function with ~ was called too often to time every call within --max-overhead: short_one\.$' "$work/text" ||
	fail "not told: $(cat "$work/text")"
grep -q '^| short_one .*~' "$work/text" || fail "not marked: $(cat "$work/text")"
grep '^| long_one ' "$work/text" | grep -q -v '~' || fail "marked: $(cat "$work/text")"

# One that becomes long is timed again.
by_tool "$program" 6000 again
holds "\$row.short_one.max_ns > \$row.long_one.min_ns / 4"

# Also if nothing else is measured, with and without samples of the CPU.
"$HOTPATH" cc gcc -O2 -pthread "$sources/sleds_return.c" -o "$work/sleds_return"
for where in main thread; do
	for cpu in --cpu --no-cpu; do
		what="hotpath run $cpu sleds_return $where"
		rm -f "$work/report"
		limited "$HOTPATH" run --each "$cpu" --format json --output-path "$work/report" -- "$work/sleds_return" "$where"
		nothing_lost
		holds "\$row.work | .measured != \"timed\" and .total_ns > $(fact long) / 4"
	done
done
# The program gets no signal of ours.
by_tool "$work/sleds_return" signals
[ "$(grep -c -e '^@long [1-9]' -e '^@signals 0$' "$work/truth")" = 2 ] || fail "signals: $(cat "$work/truth")"

# A program that does something else every millisecond is restrained within a part of that.
"$HOTPATH" cc gcc -O2 "$sources/sleds_phases.c" -o "$work/sleds_phases"
by_tool "$work/sleds_phases"
holds '.overhead.estimated_percent < 60'

# A call that had begun when its function was restrained ends when it ends; what is done after it is its caller's time.
"$HOTPATH" cc gcc -O2 -pthread "$sources/sleds_settle.c" -o "$work/sleds_settle"
by_tool "$work/sleds_settle" open
holds '$row | .work.measured != "timed" and .caller.self_ns > .caller.total_ns / 3'

# So does one that lasts much longer, on whatever thread; only if other calls are so many that its exits are too dear, the rest of it
# is its caller's time, too.
"$HOTPATH" cc gcc -O2 -pthread "$sources/sleds_stale.c" -o "$work/sleds_stale"
for where in main thread recursion; do
	by_tool "$work/sleds_stale" "$where"
	nothing_lost
	holds "\$row.slow | .measured != \"timed\" and .max_ns > $(fact slow) * 0.6 and .max_ns < $(fact slow) * 1.2"
	holds "\$row.outer.self_ns | . > $(fact own) * 0.75 and . < $(fact own) * 1.5"
	by_tool "$work/sleds_stale" "$where" flood
	nothing_lost
	holds "\$row.slow | .measured != \"timed\" and .max_ns < $(fact slow) * 1.2"
	holds "\$row.outer.self_ns > $(fact own) * 0.75"
done
holds "\$row.slow.max_ns < $(fact slow) * 0.9"

# Samples at the first instruction of a function that is not timed are its own, and not those of its caller.
for land in '' -fcf-protection=full -mbranch-protection=standard; do
	# shellcheck disable=SC2086
	gcc $land -c -x c /dev/null -o "$work/nothing.o" 2> /dev/null || continue
	# shellcheck disable=SC2086
	"$HOTPATH" cc gcc -O2 $land "$sources/sleds_tiny.c" -o "$work/sleds_tiny"
	limited "$HOTPATH" run --format json --output-path "$work/report" -- "$work/sleds_tiny"
	jq -e '.functions_cpu.data | map({ (.name): .samples }) | add | .add + .multiply > .many / 10' "$work/report" > /dev/null ||
		fail "samples $land: $(jq -c '.functions_cpu.data | map({ (.name): .samples })' "$work/report")"
done

# A new thread is not restrained for what those before it have spent.
by_tool "$work/sleds_settle" threads
holds '$row.seldom | .measured == "timed" and .calls == 12000'

# What was not timed in one of two runs is not compared; nor is the exclusive time of others.
for limit in 0 10; do
	HOTPATH_MAX_OVERHEAD=$limit "$HOTPATH" run --no-cpu --format json --output-path "$work/$limit.json" "$program" 100 > /dev/null
done
"$HOTPATH" compare --format json "$work/0.json" "$work/10.json" > "$work/compared" || true
jq -e '[.sections[] | select(.name == "timing").rows[] | .verdict] | all(. != "slower" and . != "faster")' \
	"$work/compared" > /dev/null || fail "compared: $(cat "$work/compared")"
jq -e '.notes | any(test("--max-overhead 0"))' "$work/compared" > /dev/null || fail "not told: $(cat "$work/compared")"
jq -e '.counts.not_compared > 0' "$work/compared" > /dev/null || fail "not counted: $(cat "$work/compared")"
"$HOTPATH" compare "$work/0.json" "$work/10.json" > "$work/text" || true
grep -q '^hotpath compare: .*[0-9] not compared' "$work/text" || fail "not counted: $(cat "$work/text")"

# A limit that is none.
for wrong in -1 101 2.5 ten ''; do
	expect 2 "$HOTPATH" run --max-overhead "$wrong" "$program"
	same "hotpath: run: --max-overhead: '$wrong' is not a whole number from 0 to 100" "$work/stderr"
done

exit "$failed"
