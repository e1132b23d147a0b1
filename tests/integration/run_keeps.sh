#!/bin/sh
# SPDX-License-Identifier: MIT
# What the C library keeps for itself is not among the leaks, but apart; and rows and columns that say nothing are not there.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
program=$BUILD/tests/programs/keeps

# Names of functions inside the C library are known only where its symbols are: of those that are not, ours are enough.
expect 0 "$HOTPATH" run --alloc --report live "$program"
says 'Of that, the C library keeps ' "$work/stderr"
says 'for itself; --live-limit 0 shows them.' "$work/stderr"
says '| main ' "$work/stderr"
! grep '_IO_file_doallocate\|_dl_' "$work/stderr" || fail 'the C library is among the leaks'
expect 0 "$HOTPATH" run --alloc --live-limit 0 --report live "$program"
says '_IO_file_doallocate' "$work/stderr"
! grep 'C library keeps' "$work/stderr" || fail 'what is shown is left out'

# Nothing is lost: rows of both kinds are the total.
expect 0 "$HOTPATH" run --alloc --format json -o "$work/report" "$program"
jq -e '.memory_live | ([.data[].bytes] | add) == .live_bytes and ([.data[].blocks] | add) == .live_blocks and
	([.data[] | select(.libc | not) | [.name, .bytes]] | contains([["main", 1000], ["main", 6]])) and
	([.data[] | select(.libc) | .name] | index("_IO_file_doallocate"))' "$work/report" > /dev/null ||
	fail "not all of it: $(jq -c '.memory_live' "$work/report")"
expect 0 "$HOTPATH" report --save "$work/saved"
expect 0 "$HOTPATH" report "$work/saved" --report live
says 'Of that, the C library keeps ' "$work/stdout"

# A function that allocates nothing has no row; what is known of none has no column.
expect 0 "$HOTPATH" run --alloc --report alloc "$program"
! grep ' 0 B |' "$work/stderr" || fail 'a row of zeros'
! grep 'P95' "$work/stderr" || fail 'a column of which nothing is known'
exit "$failed"
