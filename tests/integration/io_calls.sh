#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function for input and output does what it does without the probe, and is counted once, with its bytes.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/io_common.sh"
root=$(dirname "$0")/../..

# counted: the rows are as the program says; and nothing was moved that is in no row.
counted()
{
	sort "$1" > "$work/own"
	rows 'select(.name | startswith("do_")) | "= \(.name) \(.operation) \(.calls) \(.bytes)"' > "$work/told"
	diff "$work/own" "$work/told" > "$work/diff" || fail "$name: $(cat "$work/diff")"
}

clean() { rm -rf "$work/files" && mkdir "$work/files"; }

expect 0 "$programs/io_calls" "$work/files"
cp "$work/stdout" "$work/plain"
for clock in counter monotonic; do
	clean
	HOTPATH_CLOCK=$clock recorded "$programs/io_calls" "$work/files"
	cmp -s "$work/plain" "$work/stdout" || fail "with the probe: $(diff "$work/plain" "$work/stdout")"
	counted "$work/plain"
	[ "$(jq '.io_total | .seen_bytes == .counted_bytes' "$work/report")" = true ] ||
		fail "not all was seen: $(jq -c '.io_total' "$work/report")"
done

# With all other probes; without recording; and with locks alone.
clean
expect 0 "$HOTPATH" run --waits --alloc --cpu --format none -- "$programs/io_calls" "$work/files"
cmp -s "$work/plain" "$work/stdout" || fail "with all probes: $(diff "$work/plain" "$work/stdout")"
for off in HOTPATH_OFF=1 HOTPATH_WAITS=0; do
	clean
	expect 0 env "$off" LD_PRELOAD="$BUILD/src/probes/waits/libhotpath-waits.so" "$programs/io_calls" "$work/files"
	cmp -s "$work/plain" "$work/stdout" || fail "$off: $(diff "$work/plain" "$work/stdout")"
	quiet "$work/stderr"
done
clean
expect 0 "$HOTPATH" run --waits=locks --format json -o "$work/report" -- "$programs/io_calls" "$work/files"
[ "$(jq 'has("io")' "$work/report")" = false ] || fail "locks alone: $(jq -c '.io' "$work/report")"

# Linked statically: the linker puts the probe in front.
wrapped=$(sed -n 's/^FUNCTION(\([a-z0-9_]*\),.*/,--undefined=__wrap_\1,--wrap=\1/p' "$root"/src/probes/waits/waits.def "$root"/src/probes/waits/io.def | tr -d '\n')
gcc -g -static -D_GNU_SOURCE -DIS_STATIC=1 "$root/tests/programs/io_calls.c" -o "$work/io_static" "-Wl$wrapped" \
	"$BUILD/src/probes/waits/libhotpath-waits.a" "$BUILD/src/library/libhotpath.a" -lpthread -ldl -lm 2> "$work/log" ||
	fail "$(cat "$work/log")"
clean
expect 0 env HOTPATH_IO_LIMIT=0 HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" "$work/io_static" "$work/files"
name='linked statically'
counted "$work/stdout"

# The table, and what is saved and loaded again.
clean
expect 0 "$HOTPATH" run --waits=io --report io -- "$programs/io_calls" "$work/files"
says 'Seen: 100 % of what the kernel counted (' "$work/stderr"
says '| Function' "$work/stderr"
expect 0 "$HOTPATH" report --save "$work/saved"
expect 0 "$HOTPATH" report --save "$work/again" "$work/saved"
[ "$(jq -c '.io.data, .io_total' "$work/saved")" = "$(jq -c '.io.data, .io_total' "$work/again")" ] ||
	fail "loaded: $(jq -c '.io_total' "$work/again")"

exit "$failed"
