#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever hotpath compare is given in place of a report: one clear line and 2.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
cd "$work"

start='{"type":"hotpath_report","schema":1'
row='{"name":"f","kind":"function","calls":1'
printf '%s,"program":"p","elapsed_ns":1000,"functions_timing":{"percentiles":[],"data":[%s,"total_ns":900,"self_ns":900}]}}\n' \
	"$start" "$row" > good.json
expect 0 "$HOTPATH" compare good.json good.json

# bad TEXT NAME: it is refused on either side, alone and among others.
bad()
{
	refuse 2 "$1" "$HOTPATH" compare "$2" good.json
	refuse 2 "$1" "$HOTPATH" compare --base good.json --head good.json "$2"
}

# bad_text TEXT JSON: a file with this in it.
bad_text()
{
	printf '%s' "$2" > text
	bad "$1" text
}

# No reports.
bad 'No such file' missing.json
bad 'Is a directory' "$work"
bad 'an empty file' /dev/null
: > empty
bad 'an empty file' empty
printf ' \n\t\n' > blank
bad 'an empty file' blank
head -c 100000 /dev/urandom > noise
bad 'neither a segment nor a saved report' noise
head -c 100000 /dev/zero > zeros
bad 'neither a segment nor a saved report' zeros
printf '\211PNG\r\n\032\n' > picture
bad 'neither a segment nor a saved report' picture
bad_text 'not a hotpath report' '{"type":"hotpath_calls","schema":1}'
bad_text 'not a hotpath report' '[]'
bad_text 'not a hotpath report' '[{"type":"hotpath_report","schema":1}]'
bad_text 'several reports in one file' "$(cat good.json good.json)"
if [ "$(id -u)" != 0 ]; then
	: > secret
	chmod 000 secret
	bad 'Permission denied' secret
elif command -v setpriv > /dev/null && setpriv --reuid 65534 --clear-groups "$HOTPATH" --version > /dev/null 2>&1; then
	# Our folder is ours alone.
	refuse 2 'Permission denied' setpriv --reuid 65534 --clear-groups "$HOTPATH" compare "$work/good.json" \
		"$work/good.json"
fi

# Cut short at every place, and changed at some.
size=$(wc -c < good.json)
at=1
while [ "$at" -lt $((size - 1)) ]; do
	head -c "$at" good.json > short
	bad 'neither a segment nor a saved report' short
	at=$((at + 7))
done
bad_text 'neither' "$start,}"
bad_text 'neither' "$start} trailing"
bad_text 'neither' "$(printf '%s,"program":"\377"}' "$start")"
bad_text "'pid' is not" "$start,\"pid\":\"one\"}"
bad_text "'pid' is not" "$start,\"pid\":-1}"
bad_text "'pid' is not" "$start,\"pid\":4294967296}"
bad_text "'elapsed_ns' is not" "$start,\"elapsed_ns\":1e400}"
bad_text "'elapsed_ns' is not" "$start,\"elapsed_ns\":-9223372036854775809}"
bad_text "'span_ns' is not" "$start,\"overhead\":{\"span_ns\":1e999}}"
bad_text "'machine' is not" "$start,\"machine\":[]}"
bad_text "'cores' is not" "$start,\"machine\":{\"cores\":1.5}}"
bad_text "'functions_timing' is not" "$start,\"functions_timing\":7}"
bad_text "'data' is not" "$start,\"functions_timing\":{\"data\":{}}}"
bad_text 'a function has no name' "$start,\"functions_timing\":{\"data\":[{}]}}"
bad_text "'histogram' is not" "$start,\"functions_timing\":{\"data\":[$row,\"histogram\":[[2,1],[1,1]]}]}}"
bad_text 'it has no schema' '{"type":"hotpath_report","schema":"1"}'
bad_text 'schema 0' '{"type":"hotpath_report","schema":0}'
bad_text 'schema 2; this hotpath reads 1' '{"type":"hotpath_report","schema":2,"pid":"x"}'
# Of a key that is there twice, the last is meant.
bad_text "'pid' is not" "$start,\"pid\":1,\"pid\":[]}"
printf '%s,"pid":[],"pid":1,"elapsed_ns":5}' "$start" > twice
expect 0 "$HOTPATH" compare twice twice

# What is strange, but no error: numbers at the ends of their range, a newer form, a terminal's own language.
printf '%s,"elapsed_ns":18446744073709551615,"functions_timing":{"percentiles":[],"data":[%s,"total_ns":18446744073709551615,"self_ns":18446744073709551615,"sum_ns":18446744073709551615,"max_ns":18446744073709551615,"histogram":[[18446744073709551615,1]]}]}}' \
	"$start" "$row" > largest
expect 0 "$HOTPATH" compare --fail-on none good.json largest
expect 0 "$HOTPATH" compare --fail-on none largest good.json
sed 's/"schema":1/"schema":7/' good.json > newer
expect 0 "$HOTPATH" compare good.json newer
refuse 2 'schema 7' "$HOTPATH" report newer
printf '%s,"program":"\\u001b[31m\\n\\u202e","elapsed_ns":1000,"functions_timing":{"percentiles":[],"data":[{"name":"\\u001b]0;x\\u0007\\n","calls":1,"total_ns":900,"self_ns":900}]}}' \
	"$start" > escapes
for format in table markdown json; do
	expect 0 "$HOTPATH" compare --fail-on none --format $format good.json escapes
	LC_ALL=C tr -d '\n' < "$work/stdout" | LC_ALL=C grep -q "$(printf '[\001-\037]')" &&
		fail "--format $format passes control characters on"
done

# Names that are no names.
refuse 2 'File name too long' "$HOTPATH" compare "$(head -c 300 /dev/zero | tr '\0' x)" good.json
refuse 2 'No such file' "$HOTPATH" compare "$(printf 'a\nb\033[31m')" good.json

# Nested without end.
for depth in 1000 100000; do
	yes '[' | head -n $depth | tr -d '\n' > nested
	bad 'neither a segment nor a saved report' nested
done

exit "$failed"
