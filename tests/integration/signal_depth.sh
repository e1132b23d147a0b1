#!/bin/sh
# SPDX-License-Identifier: MIT
# A handler on the smallest stack for signals can be measured: what that takes of it is bounded, as the manual says.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

expect 0 "$HOTPATH" run --no-cpu --format json -o "$work/report" -- "$BUILD/tests/programs/signal_depth"
for limit in 'process 1536' 'next 1024' 'many 1024' 'thread 1024'; do
	taken=$(sed -n "s/^${limit% *} //p" "$work/stdout")
	[ "${taken:-9999}" -le "${limit#* }" ] || fail "$taken bytes, not $limit at most"
done
[ "$(jq '.functions_timing.data[] | select(.name == "measured").calls' "$work/report")" = 2003 ] ||
	fail "not all calls: $(cat "$work/report")"

exit "$failed"
