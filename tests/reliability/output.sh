#!/bin/sh
# SPDX-License-Identifier: MIT
# A report that nobody can read, or that has no place, does the program no harm; a server can be ended.
# shellcheck disable=SC1091,SC2016,SC2094,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"
. "$(dirname "$0")/unharmed.sh"
unset HOTPATH_OUTPUT_PATH HOTPATH_LIMIT HOTPATH_OUTPUT_FORMAT

program() { "$many" "$functions" "$each" 5; }

# A full pipe that nobody reads, in the background: patience is limited, but not short.
mkfifo "$work/pipe"
exec 3<> "$work/pipe"
dd if=/dev/zero bs=4096 count=16 2> /dev/null >&3
for format in table json; do
	(
		status=0
		HOTPATH_LIMIT=0 HOTPATH_OUTPUT_FORMAT=$format timeout -s KILL 10 sh -c \
			'exec "$0" "$1" "$2" 5 2>&3' "$many" "$functions" "$each" \
			> "$work/stuck_$format" || status=$?
		echo "$status" >> "$work/stuck_$format"
	) 2> /dev/null &
done

# Nowhere to write to.
for path in /dev/full "$work/no/such/file" "$work" /proc/version; do
	HOTPATH_OUTPUT_PATH=$path unharmed "report to $path" program
	[ "$path" = /proc/version ] || warned "cannot write the report to $path: "
done

# Standard error closed: quiet. Files that are opened later have its number, and stay clean.
unharmed 'no standard error' sh -c 'exec "$0" "$1" "$2" 5 2>&-' "$many" "$functions" "$each"
silent
status=0
HOTPATH_OUTPUT_PATH=- "$many" "$functions" "$each" 5 >&- 2> "$work/stderr" || status=$?
[ "$status" = 5 ] || fail "no standard output: status $status"
[ "$(wc -l < "$work/stderr")" -le 1 ] || fail "no standard output: $(cat "$work/stderr")"

# Standard error a pipe that nobody reads any more: no SIGPIPE, whatever is written.
for format in table json; do
	for folder in "$HOTPATH_DIR" "$work/no/such/folder"; do
		status=0
		what="a closed pipe, $format, $folder"
		mkfifo "$work/closed"
		(
			exec 4<> "$work/closed" 5> "$work/closed" 4>&-
			status=0
			HOTPATH_DIR=$folder HOTPATH_OUTPUT_FORMAT=$format "$many" "$functions" "$each" 5 2>&5 ||
				status=$?
			echo "$status"
		) > "$work/stdout" 2> "$work/stderr"
		rm "$work/closed"
		[ "$(cat "$work/stdout")" = "$sum
5" ] || fail "$what: $(cat "$work/stdout" "$work/stderr")"
	done
done

# A pipe that is read slowly gets all of it: more than fits into a pipe.
HOTPATH_LIMIT=0 HOTPATH_OUTPUT_FORMAT=json "$many" "$functions" "$each" 5 2>&1 > /dev/null | {
	sleep 0.5
	cat
} > "$work/slow"
[ "$(wc -c < "$work/slow")" -gt 65536 ] || fail "a slow reader: only $(wc -c < "$work/slow") bytes"
[ "$(jq .functions_timing.included_count "$work/slow")" = $((functions + 1)) ] ||
	fail 'a slow reader: not the whole report'

# A server comes to its end: report, and exit status 0. The time begins with the program, before main.
served()
{
	expect 0 "$@" "$many" 3 2 5 serve
	quiet "$work/stdout"
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "shutdown: $(cat "$work/stderr")"
	jq -e '.elapsed_ns >= 100e6 and .exit.clean and .exit.signal == null and
		([.functions_timing.data[].name] - ["f0", "f1", "f2", "main"] | length == 0) and
		([.functions_timing.data[] | select(.name == "f0").calls][0] > 2)' "$work/stderr" \
		> "$work/answer" || fail "shutdown: $(cat "$work/stderr")"
}
export HOTPATH_SHUTDOWN_MS=200 HOTPATH_OUTPUT_FORMAT=json
served env
served "$HOTPATH" run
unset HOTPATH_SHUTDOWN_MS HOTPATH_OUTPUT_FORMAT

# A program that ends earlier is not held up.
HOTPATH_SHUTDOWN_MS=60000 HOTPATH_OUTPUT_PATH=$report unharmed 'a long time to go' timeout 10 "$many" \
	"$functions" "$each" 5

wait
for format in table json; do
	[ "$(cat "$work/stuck_$format")" = "$sum
5" ] || fail "a full pipe, $format: $(cat "$work/stuck_$format")"
done

exit "$failed"
