#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath list tells what became of each process, and --clean leaves those that run.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

# await PID: until it records.
await() { until "$HOTPATH" list 2> /dev/null | grep -q "^ *$1 *running"; do sleep 0.01; done; }

expect 1 "$HOTPATH" list --json
same '[]' "$work/stdout"
expect 0 "$HOTPATH" list --clean
same 'removed 0 segments, 0 B' "$work/stdout"

# One that has exited, one that was killed, one that runs.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic"
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/profile_cpu" &
killed=$!
await "$killed"
kill -KILL "$killed"
wait "$killed" 2> /dev/null || :
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/profile_cpu" &
running=$!
await "$running"
kill -STOP "$running"

expect 0 "$HOTPATH" list --json
jq -r '.[] | "\(.program) \(.state) \(.live)"' "$work/stdout" > "$work/states"
same 'profile_cpu running true
profile_cpu ended false
basic exited false' "$work/states"
jq -e 'all(.[]; (.pid, .parent_pid, .start_unix_ns, .bytes) | type == "number") and
	all(.[]; .bytes > 0 and (.path | startswith("/")))' "$work/stdout" > /dev/null ||
	fail "fields: $(cat "$work/stdout")"
expect 0 "$HOTPATH" list
grep -qE "^ *$running +running +[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} +[0-9.]+ [KM]B +profile_cpu$" \
	"$work/stdout" || fail "listing: $(cat "$work/stdout")"

# A name from elsewhere cannot command the terminal.
cp "$BUILD/examples/basic" "$work/$(printf 'evil\033[31m\nname')"
HOTPATH_OUTPUT_FORMAT=none "$work/$(printf 'evil\033[31m\nname')"
expect 0 "$HOTPATH" list
says 'evil?[31m?name' "$work/stdout"
[ "$(wc -l < "$work/stdout")" = 5 ] || fail "not five lines: $(cat "$work/stdout")"
expect 0 "$HOTPATH" list --json
jq -r '.[0].program' "$work/stdout" > "$work/name"
same "$(printf 'evil\033[31m\nname')" "$work/name"

# What is no segment is listed, but has nothing to say.
echo nothing > "$HOTPATH_DIR/hotpath-99999999-1.seg"
expect 0 "$HOTPATH" list
grep -q '99999999  unknown .*(cannot be read)' "$work/stdout" || fail "$(cat "$work/stdout")"
: > "$HOTPATH_DIR/other"

# Of what another version has written it is known whether it is in use.
other=$HOTPATH_DIR/hotpath-99999998-2.seg
cp "$(find "$HOTPATH_DIR" -name "hotpath-$running-*.seg")" "$other"
printf '\377' | dd of="$other" bs=1 seek=8 conv=notrunc status=none
expect 0 "$HOTPATH" list
grep -q '99999998  unknown .*(of another version of hotpath)' "$work/stdout" || fail "$(cat "$work/stdout")"
expect 0 python3 -c 'import fcntl, subprocess, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    sys.exit(subprocess.call(sys.argv[2:]))' "$other" "$HOTPATH" list
grep -q '99999998  running .*(of another version of hotpath)' "$work/stdout" || fail "$(cat "$work/stdout")"
rm "$other"

expect 0 "$HOTPATH" list --clean --json
jq -e '.removed == 4 and .bytes > 0' "$work/stdout" > /dev/null || fail "$(cat "$work/stdout")"
expect 0 "$HOTPATH" list --json
[ "$(jq -c '[.[].pid]' "$work/stdout")" = "[$running]" ] || fail "left: $(cat "$work/stdout")"
[ -e "$HOTPATH_DIR/other" ] || fail 'another file was removed'
kill -KILL "$running"
wait "$running" 2> /dev/null || :

exit "$failed"
