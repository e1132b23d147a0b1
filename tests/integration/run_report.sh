#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath run shows what every process has measured, and obeys the environment and its options.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

basic=$BUILD/examples/basic
long=$BUILD/examples/profile_cpu
# Without samples, which would add processes that measure nothing themselves.
run() { "$HOTPATH" run --no-cpu "$@"; }
json() { jq -r "$1" "$work/stderr"; }

# One process: one report, on standard error; the program prints none of its own.
expect 0 run "$basic"
quiet "$work/stdout"
[ "$(grep -c '^\[hotpath\]' "$work/stderr")" = 1 ] || fail "not one report: $(cat "$work/stderr")"
grep -q '^==' "$work/stderr" && fail 'a heading for a single process'
expect 0 run sh -c "exec '$basic'"
says custom_block "$work/stderr"

# Several: one of all, or one each, oldest first.
expect 0 run --each sh -c "'$basic'; '$basic'"
[ "$(grep -c '^== basic (pid [0-9]*) ==$' "$work/stderr")" = 2 ] || fail "$(cat "$work/stderr")"
expect 0 run --each --format json sh -c "'$basic'; '$basic'"
[ "$(wc -l < "$work/stderr")" = 2 ] || fail 'not one document on each line'
jq -se '.[0].start_unix_ns < .[1].start_unix_ns' "$work/stderr" > /dev/null ||
	fail 'not oldest first'
expect 0 run --format json sh -c "'$basic'; '$basic'"
same '3 200' /dev/fd/3 3<< END
$(json '"\(.processes) \(.functions_timing.data[] | select(.name == "custom_block").calls)"')
END

# A program that measures itself shows its times first, then where its CPU time went.
expect 0 "$HOTPATH" run "$long"
[ "$(sed -n 's/^\([a-z]*\) - .*/\1/p' "$work/stderr" | tr '\n' ' ')" = 'timing cpu bottlenecks ' ] ||
	fail "the sections are: $(cat "$work/stderr")"

# Where nothing was measured, it says what to do.
expect 0 run true
says 'No measurements recorded from true' "$work/stderr"
expect 4 run sh -c 'exit 4'
says 'exit status 4' "$work/stderr"

# Where it goes, and in which form: the environment, and over it the options.
HOTPATH_OUTPUT_PATH=$work/report HOTPATH_OUTPUT_FORMAT=json expect 0 run "$basic"
quiet "$work/stderr"
[ "$(jq -r .type "$work/report")" = hotpath_report ] || fail 'no report in HOTPATH_OUTPUT_PATH'
HOTPATH_OUTPUT_PATH=$work/other HOTPATH_OUTPUT_FORMAT=json expect 0 run --format table -o - "$basic"
says '| custom_block' "$work/stdout"
[ ! -e "$work/other" ] || fail 'the option does not win'
HOTPATH_LIMIT=1 expect 0 run "$basic"
says '(1/4)' "$work/stderr"
HOTPATH_LIMIT=many expect 0 run "$basic"
[ "$(grep -c "^hotpath: HOTPATH_LIMIT: 'many'" "$work/stderr")" = 1 ] || fail 'not one warning'
HOTPATH_TIME_EXCLUSIVE=1 expect 0 run --time-exclusive=0 "$basic"
grep -q Exclusive "$work/stderr" && fail '--time-exclusive=0 does not win'

# Ended by a signal: the table all the same. The program is long enough to be caught in the midst.
"$HOTPATH" run --no-cpu --format json "$long" 2> "$work/stderr" &
tool=$!
until pid=$("$HOTPATH" list --json | jq -e '.[] | select(.state == "running").pid'); do
	sleep 0.01
done
sleep 0.02
kill -STOP "$pid"
expect_running=$("$HOTPATH" report "$pid" --format json | jq '.exit.running')
kill -KILL "$pid"
status=0
wait "$tool" || status=$?
[ "$status" = 137 ] || fail "killed: status $status"
[ "$expect_running" = true ] || fail 'a running program is not reported as such'
same 'false 9 1' /dev/fd/3 3<< END
$(json '.functions_timing.data[] as $row | select($row.name == "main") |
	"\(.exit.clean) \(.exit.signal) \($row.open)"')
END
expect 0 "$HOTPATH" report "$pid"
says 'heavy_work' "$work/stdout"

# A process that outlives the program is shown as far as it has come.
export HOTPATH
expect 0 run --each --format json sh -c '"$0" > /dev/null 2>&1 & echo $!
	until "$HOTPATH" list 2> /dev/null | grep -q "^ *$! *running"; do sleep 0.01; done
	kill -STOP $!' "$long"
same true /dev/fd/3 3<< END
$(json .exit.running)
END
kill -KILL "$(cat "$work/stdout")"
tries=0
while [ "$("$HOTPATH" list --json | jq '[.[] | select(.live)] | length')" != 0 ] && [ "$tries" -lt 500 ]; do
	tries=$((tries + 1))
done

# Old segments are pruned, those of this run and of the newest others are kept.
"$HOTPATH" list --clean > /dev/null
number=0
while [ "$number" -lt 44 ]; do
	: > "$HOTPATH_DIR/hotpath-99999999-$((1000000 + number)).seg"
	number=$((number + 1))
done
expect 0 run --format none sh -c "'$basic'; '$basic'"
[ "$(find "$HOTPATH_DIR" -name 'hotpath-99999999-*' | wc -l)" = 32 ] || fail 'not 32 are kept'
[ ! -e "$HOTPATH_DIR/hotpath-99999999-1000011.seg" ] || fail 'not the oldest were pruned'
[ "$("$HOTPATH" list --json | jq '[.[] | select(.program == "basic")] | length')" = 2 ] ||
	fail 'segments of this run were pruned'


# Whoever measures and never starts is told so: alone it would print nothing.
expect 0 run "$BUILD/tests/programs/returns"
says 'returns never starts recording (HOTPATH_MAIN or hotpath_start): it is measured only under '\''hotpath run'\''' "$work/stderr"
expect 0 run "$basic"
grep -q 'never starts' "$work/stderr" && fail 'a program that starts is told that it does not'
exit "$failed"
