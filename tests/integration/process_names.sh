#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes are called by their executable and the arguments they were started with, whatever they write over them;
# what they call themselves tells those of one program apart.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
program=$BUILD/tests/programs/retitled
arguments='listen=8080 number=one'

# asked PID FIELD: what the list says of a process.
asked() { "$HOTPATH" list --json | jq -r ".[] | select(.pid == $1) | .$2"; }

mkfifo "$work/lines" "$work/numbers"
exec 3<> "$work/lines" 4<> "$work/numbers"
# shellcheck disable=SC2086
HOTPATH_OUTPUT_FORMAT=none "$program" $arguments <&3 >&4 &
read -r master <&4
# Segments are made when something is measured, and that is after now.
before=$(date +%s%N)
echo >&3
read -r worker <&4

for pid in "$master" "$worker"; do
	[ "$(asked "$pid" program)" = retitled ] || fail "program: $(asked "$pid" program)"
	[ "$(asked "$pid" arguments)" = "$arguments" ] || fail "arguments: $(asked "$pid" arguments)"
done
[ "$(asked "$master" title)" = 'retitled: master' ] || fail "title: '$(asked "$master" title)'"
[ "$(asked "$worker" title)" = 'retitled: worker 1/1' ] || fail "title: '$(asked "$worker" title)'"
[ "$("$HOTPATH" list --json | jq ".[] | select(.pid == $master) | .start_unix_ns < $before")" = true ] ||
	fail "it was started after it ran: $("$HOTPATH" list --json)"
expect 0 "$HOTPATH" list
says "retitled $arguments [retitled: master]" "$work/stdout"
says "retitled $arguments [retitled: worker 1/1]" "$work/stdout"
expect 0 "$HOTPATH" top --once "$master"
expect 0 "$HOTPATH" top --once retitled
expect 0 "$HOTPATH" top --once 'retitled: master'

# And when they have ended.
echo >&3
wait
[ "$(asked "$worker" title)" = 'retitled: worker 1/1' ] || fail "title: '$(asked "$worker" title)'"
expect 0 "$HOTPATH" report --format json "$worker"
[ "$(jq -r '.program, .arguments, .title' "$work/stdout" | tr '\n' '|')" = \
	"retitled|$arguments|retitled: worker 1/1|" ] || fail "report: $(cat "$work/stdout")"

# In a report of several.
# shellcheck disable=SC2086
printf '\n\n' | "$HOTPATH" run --each "$program" $arguments > /dev/null 2> "$work/report"
says "== retitled $arguments [retitled: master] (pid " "$work/report"
says "== retitled $arguments [retitled: worker 1/1] (pid " "$work/report"

# A program that is called by another name is still itself. One whose file is gone has its name all the same.
cp "$program" "$work/server"
ln -s server "$work/alias"
HOTPATH_OUTPUT_FORMAT=none "$work/alias" a=b <&3 >&4 &
read -r master <&4
rm "$work/server"
echo >&3
read -r worker <&4
[ "$(asked "$master" program)" = server ] || fail "$("$HOTPATH" list)"
echo >&3
wait

# Without arguments, and without a title.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic"
expect 0 "$HOTPATH" list --json
[ "$(jq -r '[.[] | select(.program == "basic")][0] | .arguments, .title' "$work/stdout" | tr '\n' '|')" = \
	'|null|' ] || fail "$(cat "$work/stdout")"
# By a link, which is the name that its user knows.
ln -s "$BUILD/examples/basic" "$work/other"
HOTPATH_OUTPUT_FORMAT=none "$work/other"
expect 0 "$HOTPATH" list
says "basic [$work/other]" "$work/stdout"

exit "$failed"
