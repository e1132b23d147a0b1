#!/bin/sh
# SPDX-License-Identifier: MIT
# What a function returns is logged with its call, whatever its type, and no pointer is trusted.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# returned NAME: the value of its newest call, as it stands in the JSON.
returned()
{
	"$HOTPATH" report --calls "$1" --format json | grep -o '"returned":.*' |
		sed 's/^"returned"://; s/}.*//'
}

# returns NAME VALUE
returns()
{
	value=$(returned "$1")
	[ "$value" = "$2" ] || fail "$HOTPATH_CLOCK: $1 returned $value, not $2"
}

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	by_tool "$programs/returns"
	nothing_lost
	returns a_bool true
	returns a_char 65
	returns a_signed_char -128
	returns an_unsigned_char 255
	returns a_short -32768
	returns an_unsigned_short 65535
	returns an_int -2147483648
	returns an_unsigned 4294967295
	returns a_long -9223372036854775808
	returns an_unsigned_long 18446744073709551615
	returns a_long_long -9223372036854775808
	returns an_unsigned_long_long 18446744073709551615
	returns a_float 0.5
	returns a_double -0.125
	returns a_long_double 2.5
	returns not_a_number null
	returns a_string '"text \"quoted\""'
	returns a_char_pointer '"edge!"'
	returns a_long_string \
		'"012345678901234567890123456789012345678901234567890123456789…"'
	returns an_empty_string '""'
	returns no_string '"0x0"'
	returns an_address '"0x8"'
	returns a_pointer '"0x1234"'
	"$HOTPATH" report --calls bytes --format json | jq -e '.calls | length == 1' > /dev/null ||
		fail 'bytes that are no text spoil the JSON'
	returns on_coroutine 7
	returns around null
	"$HOTPATH" report --calls counted --format json > "$work/calls"
	jq -e '[.calls[].returned] == [range(199; 149; -1)]' "$work/calls" > /dev/null ||
		fail "not the newest fifty: $(cat "$work/calls")"

	# Strings as they are, in the listing for people.
	for name in a_string an_address bytes not_a_number; do
		expect 0 "$HOTPATH" report --calls "$name"
		[ "$(wc -l < "$work/stdout")" = 2 ] || fail "$name: $(cat "$work/stdout")"
	done
done

exit "$failed"
