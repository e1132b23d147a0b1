#!/bin/sh
# SPDX-License-Identifier: MIT
# Ten thousand threads are measured, and need no more room than those that were there at the same time.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# threads THREADS AT_ONCE...: leaves $bytes, the size of the segment.
threads()
{
	by_tool "$programs/many_threads" "$@"
	agrees
	[ "$(calls body)" -ge "$1" ] || fail "$what: $(cat "$work/truth")"
	bounded "$2"
	adds_up "$2"
	nothing_lost
	holds '$row | all(.open == 0)'
	bytes=$("$HOTPATH" list --json | jq '.[0].bytes')
	"$HOTPATH" list --clean > /dev/null
}

for keys in '' many-keys; do
	threads 100 50 $keys
	few=$bytes
	threads 10000 50 $keys
	[ "$bytes" -le $((few * 2)) ] ||
		fail "10000 threads need $bytes bytes, 100 need $few, of which 50 at once"
	threads 1000 1 $keys
	[ "$bytes" -le $((few * 2)) ] || fail "one after the other they need $bytes bytes, not $few"
done
threads 64 64

exit "$failed"
