#!/bin/sh
# SPDX-License-Identifier: MIT
# HOTPATH_MAX_LOG_LEN says how much is kept of texts; what was cut ends with a mark.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

program=$BUILD/tests/programs/texts
export HOTPATH_OUTPUT_FORMAT=none

# kept NAME FILTER LENGTH: a text of so many bytes, which are those of the program's, but for the mark.
kept()
{
	expect 0 "$HOTPATH" report --calls "$1" --format json
	jq -e "$2 | utf8bytelength == $3 and endswith(\"…\") and
		(.[:-1] as \$text | [range(0; 2500; 5) | tostring | (\"000\" + .)[-4:] + \" \"] | add | startswith(\$text))" \
		"$work/stdout" > /dev/null || fail "$1: not $3 bytes: $(jq -c "$2" "$work/stdout")"
}

# all_kept RETURNED LOGGED: of what calls return, and of all else.
all_kept()
{
	kept returned '.calls[0].returned' "$1"
	kept returned '.calls[49].returned' "$1"
	kept channel '.events[0].message' "$2"
	kept channel '.events[2].message' "$2"
	kept stream '.events[0].message' "$2"
	kept future '.events[0].result' "$2"
	kept value '.events[0].value' "$2"
	"$HOTPATH" report --calls channel --format json | jq -e '.events[1].message == "short"' > /dev/null ||
		fail 'a short text is not whole'
	"$HOTPATH" report --format json | jq -e ".debug.data[0].last_value | utf8bytelength == $2" > /dev/null ||
		fail "the last value is not of $2 bytes"
}

# whole_characters: none is cut in two, whatever comes before it.
whole_characters()
{
	"$HOTPATH" report --calls umlauts --format json |
		jq -e '[.calls[].returned] | length == 2 and all(test("^a?ä+…$"))' > /dev/null ||
		fail "a character was cut: $("$HOTPATH" report --calls umlauts --format json)"
}

"$program"
all_kept 63 191
whole_characters
for length in 16 100 300 2047; do
	HOTPATH_MAX_LOG_LEN=$length "$program"
	all_kept "$length" "$length"
	whole_characters
done
for bad in 0 15 2048 many -1; do
	HOTPATH_MAX_LOG_LEN=$bad "$program" 2> "$work/stderr"
	says "HOTPATH_MAX_LOG_LEN: '$bad' is not a number from 16 to 2047; the default is used" "$work/stderr"
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "not one line: $(cat "$work/stderr")"
done
all_kept 63 191
exit "$failed"
