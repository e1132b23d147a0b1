#!/bin/sh
# SPDX-License-Identifier: MIT
# Of the memory that a program has in use, the report says how much is ours: without that, it is what it is without us.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
programs=$BUILD/tests/programs
plain=$("$programs/resident_plain")
[ "$plain" -gt 0 ] || fail 'the plain program does not say how much memory it has in use'

# close OPTION...: what is not ours is close to the plain program's, and ours is not little. Threads of a measured
# program begin with other pages of the C library, so some hundred kilobytes may differ.
close()
{
	expect 0 "$HOTPATH" run --format json -o "$work/report" --report all "$@" "$programs/resident"
	jq -e --argjson plain "$plain" '.threads | .own_rss_bytes > 1000000 and
		((.rss_bytes - .own_rss_bytes - $plain) | fabs) < $plain / 10 + 400000' "$work/report" > /dev/null ||
		fail "$*: plain $plain, measured $(jq -c '.threads | [.rss_bytes, .own_rss_bytes]' "$work/report")"
}
close
close --alloc
close --cpu --alloc

expect 0 "$HOTPATH" run --alloc "$programs/resident"
grep -q 'RSS: [0-9.]* MB ([0-9.]* MB of it hotpath.s), peak RSS' "$work/stderr" || fail 'the table does not say it'

# It is in saved reports as well.
expect 0 "$HOTPATH" report --save "$work/saved"
expect 0 "$HOTPATH" report "$work/saved" --report threads
grep -q 'MB of it hotpath' "$work/stdout" || fail 'a saved report does not say it'

exit "$failed"
