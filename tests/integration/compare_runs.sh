#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath compare runs programs in turns, says why it cannot compare them, and leaves nothing behind.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

basic=$BUILD/examples/basic
include=$(cd "$(dirname "$0")/../../include" && pwd)
log=$work/log
cd "$work"

compare() { "$HOTPATH" compare --fail-on none "$@"; }

# left NUMBER: so many segments are there.
left()
{
	count=$(find "$HOTPATH_DIR" -name '*.seg' | wc -l)
	[ "$count" = "$1" ] || fail "$count segments are left, not $1"
}

# logged TEXT: what the programs wrote, in this order.
logged()
{
	[ "$(tr '\n' ' ' < "$log")" = "$1 " ] || fail "the programs wrote '$(cat "$log")', not '$1'"
	rm -f "$log"
}

# They take turns, after one run each to warm up.
base="echo base >> '$log'; '$basic'"
head="echo head >> '$log'; exec '$basic'"
expect 0 compare --runs 3 --base "$base" --head "$head"
quiet "$work/stderr"
logged 'base head base head base head base head'
says 'custom_block' "$work/stdout"
expect 0 compare --runs 2 --warmup 0 "$base" "$head"
logged 'base head base head'
expect 0 compare --runs 1 --warmup 2 "$base" "$head"
logged 'base head base head base head'
left 0

# What the user has kept is left alone, however many runs there are.
for _ in 1 2 3; do
	HOTPATH_OUTPUT_FORMAT=none "$basic" > /dev/null
done
expect 0 compare --runs 20 --warmup 0 "$basic" "$basic"
left 3
rm -f "$HOTPATH_DIR"/*.seg

# Nor is there anything of what a command starts and does not wait for, though it ends during the run of the other.
late="'$basic'; { until [ -e '$work/go' ]; do sleep 0.01; done; '$basic'; : > '$work/late'; } > /dev/null 2>&1 &"
expect 0 compare --runs 1 --warmup 0 "$late" \
	": > '$work/go'; until [ -e '$work/late' ]; do sleep 0.01; done; '$basic'"
left 0

# Every run is in the comparison, and none that warmed up; those of the shell that starts them are not.
expect 0 compare --runs 3 --format json "cd / && '$basic' && true" "A=b '$basic'"
python3 - "$work/stdout" << 'END' || fail "the JSON of three runs"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["type"] == "hotpath_comparison"
for side in "base", "head":
    assert report[side]["runs"] == 3, report[side]
    assert report[side]["labels"] == ["run 1", "run 2", "run 3"], report[side]
    assert report[side]["program"].endswith("basic"), report[side]
timing = [s for s in report["sections"] if s["name"] == "timing"][0]
calls = {row["name"]: row["metrics"]["calls"] for row in timing["rows"]}
assert set(calls) == {"main", "sync_function", "async_function", "custom_block"}, calls
assert calls["custom_block"]["base"] == calls["custom_block"]["head"] == [100] * 3, calls
END

# The same with allocations, of programs that know nothing of us.
if [ -z "${ASAN_OPTIONS-}" ] && "$HOTPATH" run --alloc=count --format json ls > /dev/null 2> "$work/alloc" &&
	grep -q functions_alloc "$work/alloc"; then
	rm -f "$HOTPATH_DIR"/*.seg
	expect 0 compare --runs 2 --alloc=count --format json "ls / && true" "ls /"
	python3 - "$work/stdout" << 'END' || fail "the JSON of allocations"
import json, sys
report = json.load(open(sys.argv[1]))
alloc = [s for s in report["sections"] if s["name"] == "alloc"][0]
assert alloc["rows"], alloc
assert report["base"]["program"].endswith("ls"), report["base"]
END
	left 0

	# A program that allocates nothing is known to have allocated nothing, and is compared with one that does.
	cat > once.c << 'END'
#include <hotpath.h>
#include <stdlib.h>
static void work(void)
{
	HOTPATH_MEASURE();
#ifdef MORE
	void *volatile block = malloc(10);
	free(block);
#endif
}
int main(void)
{
	HOTPATH_MAIN();
	for (int i = 0; i < 100; i++)
		work();
}
END
	for side in LESS MORE; do
		${CC:-cc} -D$side -DHOTPATH_ENABLE=1 -I"$include" once.c -o once-$side \
			-L"$BUILD/src/library" -lhotpath -Wl,-rpath,"$BUILD/src/library"
	done
	expect 1 "$HOTPATH" compare --runs 1 --alloc=count --fail-on alloc --min-share 0 --save once ./once-LESS ./once-MORE
	says 'work' "$work/stdout"
	expect 1 "$HOTPATH" compare --fail-on alloc --min-share 0 once/base-1.json once/head-1.json
	expect 0 "$HOTPATH" compare --fail-on alloc --min-share 0 once/head-1.json once/base-1.json
fi
rm -f "$HOTPATH_DIR"/*.seg

# One run has in its environment what every other has.
show="echo \"\$LD_PRELOAD\" >> '$log'; '$basic'"
expect 0 compare --runs 3 "$show" "$show"
[ "$(sort -u "$log" | wc -l)" = 1 ] || fail "what is preloaded differs: $(sort -u "$log")"
rm -f "$log"
runs="echo \"\$HOTPATH_RUN\" >> '$log'; '$basic'"
expect 0 compare --runs 3 "$runs" "$runs"
[ "$(sort -u "$log" | wc -l)" = 8 ] || fail "runs are not told apart: $(cat "$log")"
rm -f "$log"

# Their input is empty, and what they print is not seen unless it is asked for.
echo secret | expect 0 compare --runs 1 "cat >> '$log'; echo loud; echo louder >&2; '$basic'" "$basic"
[ ! -s "$log" ] || fail "a program read our input: $(cat "$log")"
grep -q loud "$work/stdout" "$work/stderr" && fail "what a program printed is seen"
expect 0 compare --runs 2 --warmup 0 --show-output -o "$work/table" "echo loud; echo louder >&2; '$basic'" \
	"$basic"
[ "$(grep -cx loud "$work/stdout")" = 2 ] || fail "what a program printed is not seen"
[ "$(grep -cx louder "$work/stderr")" = 2 ] || fail "what a program complained of is not seen"
says custom_block "$work/table"
rm -f "$log"

# Programs that fail.
refuse 2 "base ended with status 3 in warm-up run 1 of 'exit 3'; use --show-output to see why" \
	compare --runs 2 'exit 3' "$basic"
refuse 2 "head ended with status 4 in run 2 of" compare --runs 2 --warmup 0 "$basic" \
	"echo x >> '$log'; '$basic'; [ \$(wc -l < '$log') = 1 ] || exit 4"
rm -f "$log"
refuse 2 "head could not be started (status 127) in warm-up run 1 of './missing'" \
	compare --runs 2 "$basic" ./missing
refuse 2 "base was killed by signal 9" compare --runs 2 "kill -9 \$\$" "$basic"
# A shell tells of what killed a program by its status.
refuse 2 "base ended with status 134 (128 + signal 6, Aborted) in warm-up run 1" \
	compare --runs 2 "sh -c 'kill -6 \$\$'; exit \$?" "$basic"
refuse 2 "of 'exit 3'; use --ignore-failure to compare anyway" compare --runs 1 --show-output 'exit 3' "$basic"
expect 0 compare --runs 2 --ignore-failure "'$basic'; exit 3" "'$basic'; kill -9 \$\$"
says custom_block "$work/stdout"
left 0

# What cannot be written to is told before anything runs.
for path in "$work/no/such" "$work"; do
	refuse 2 "cannot write to $path" compare --runs 2 -o "$path" "echo base >> '$log'; '$basic'" "$basic"
	[ ! -e "$log" ] || fail "-o $path: the programs were run"
done

# Nothing measured.
refuse 2 "base measured nothing in run 1 of 'true'; link it with libhotpath" compare --runs 2 true "$basic"
refuse 2 "HOTPATH_OFF=1 is set" env HOTPATH_OFF=1 "$HOTPATH" compare --runs 2 "$basic" "$basic"
refuse 2 "ended before the first sample" compare --runs 1 --rate 1 "exec true" "$basic"
refuse 2 "head measured nothing in run 1 of 'exit 3'" compare --runs 2 --ignore-failure "$basic" 'exit 3'
left 0

# Kept, and compared again, they say the same.
expect 0 compare --runs 10 --save "$work/kept" --format json "$basic" "$basic"
cp "$work/stdout" "$work/first"
for side in base head; do
	[ "$(cd "$work/kept" && echo $side-*)" = "$(seq -f "$side-%02g.json" -s ' ' 10)" ] ||
		fail "kept: $(ls "$work/kept")"
done
expect 0 "$HOTPATH" report "$work/kept/head-03.json"
says custom_block "$work/stdout"
expect 0 compare --format json --base "$work"/kept/base-*.json --head "$work"/kept/head-*.json
python3 - "$work/first" "$work/stdout" << 'END' || fail "what was kept says something else"
import json, sys
first, again = (json.load(open(path)) for path in sys.argv[1:])
for report in first, again:
    for side in "base", "head":
        del report[side]["labels"], report[side]["command"]
assert first == again, [key for key in first if first[key] != again.get(key)]
END
expect 0 compare --runs 10 --save "$work/kept" "$basic" "$basic"
refuse 2 'from other runs' compare --runs 9 --save "$work/kept" "$basic" "$basic"
refuse 2 'No such file' compare --runs 1 --save "$work/no/such" "$basic" "$basic"
: > "$work/file"
refuse 2 'Not a directory' compare --runs 1 --save "$work/file" "$basic" "$basic"

# interrupt SIGNAL STATUS: the program ends, and so do we by the same signal, with nothing said and nothing left.
interrupt()
{
	rm -f "$work/pid" "$log"
	"$HOTPATH" compare --runs 5 --warmup 0 "'$basic'" \
		"sleep 1000 & echo \$! > '$work/pid'; '$basic'; wait; echo on >> '$log'" \
		> "$work/stdout" 2> "$work/stderr" &
	tool=$!
	while [ ! -s "$work/pid" ]; do sleep 0.01; done
	kill "-$1" "$tool"
	status=0
	wait "$tool" || status=$?
	[ "$status" = "$2" ] || fail "SIG$1 ends it with $status, not $2"
	quiet "$work/stdout"
	quiet "$work/stderr"
	tries=0
	while kill -0 "$(cat "$work/pid")" 2> /dev/null && [ $tries -lt 500 ]; do
		sleep 0.01
		tries=$((tries + 1))
	done
	kill -0 "$(cat "$work/pid")" 2> /dev/null && fail "SIG$1 does not end what the program started"
	[ ! -e "$log" ] || fail "SIG$1 does not end the program"
	left 0
}
interrupt TERM 143
interrupt HUP 129

# A program that does not end for a signal is waited for; there is no other run after it, and no report.
rm -f "$work/pid" "$log"
"$HOTPATH" compare --runs 5 --warmup 0 "trap '' TERM; echo \$\$ > '$work/pid'; while [ ! -e '$work/go' ]; do
	sleep 0.01; done; echo done >> '$log'; exec '$basic'" "echo head >> '$log'" \
	> "$work/stdout" 2> "$work/stderr" &
tool=$!
while [ ! -s "$work/pid" ]; do sleep 0.01; done
kill -TERM "$tool"
: > "$work/go"
status=0
wait "$tool" || status=$?
[ "$status" = 143 ] || fail "a program that survives: it ends with $status"
[ "$(cat "$log")" = 'done' ] || fail "a program that survives: $(cat "$log")"
quiet "$work/stdout"
left 0

exit "$failed"
