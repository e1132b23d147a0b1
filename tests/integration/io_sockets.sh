#!/bin/sh
# SPDX-License-Identifier: MIT
# Sockets are known by their peers, or the address that listens; and times are those that the program sees.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/io_common.sh"

recorded "$programs/io_sockets"
port=$(sed -n 's/^port //p' "$work/stdout")
server="clients of 127.0.0.1:$port" client="127.0.0.1:$port"
is serve accept "$server" '[.calls, .medium]' '[20,"network"]'
is serve receive "$server" '[.calls, .bytes]' '[200,20000]'
is serve send "$server" '[.calls, .bytes, .small_percent]' '[200,1000000,0]'
is ask connect "$client" '[.calls, .errors]' '[20,0]'
is ask write "$client" '[.calls, .bytes]' '[200,20000]'
is ask receive "$client" '[.calls, .bytes]' '[200,1000000]'

# The time of a slow pipe, of 200 ms.
in_time()
{
	own=$(sed -n 's/^waited //p' "$work/stdout")
	[ "$(row drink read pipe "(.sum_ns / $own - 1 | fabs) < 0.02 and .calls == 20 and .short_count == 20")" = true ] ||
		fail "not $own ns: $(row drink read pipe .)"
}
undisturbed in_time recorded "$programs/io_sockets"

# The same work has the same calls and bytes.
for i in 1 2; do
	expect 0 "$HOTPATH" run --waits=io --format none -- "$programs/io_cpp" "$work/lines"
	expect 0 "$HOTPATH" report --save "$work/run$i"
done
expect 0 "$HOTPATH" compare --fail-on none --format json -o "$work/compared" "$work/run1" "$work/run2"
[ "$(jq '[.. | objects | select(.name? == "io_calls" or .name? == "io_bytes") | .verdict?] | any(. == "worse" or . == "better")' \
	"$work/compared")" = false ] || fail "compared: $(cat "$work/compared")"
grep -q io_calls "$work/compared" || fail "no calls: $(cat "$work/compared")"

exit "$failed"
