#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath compare refuses files of 50 MB that are no reports in little memory, and reads one that is.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
cd "$work"

start='{"type":"hotpath_report","schema":1'
printf '%s,"program":"p","elapsed_ns":1000,"functions_timing":{"percentiles":[],"data":[{"name":"f","kind":"function","calls":1,"total_ns":900,"self_ns":900}]}}\n' \
	"$start" > good.json

# They take no more memory than a report of that size does.
bytes=50000000
sanitized=
grep -q __asan_init "$HOTPATH" && sanitized=1

# repeat TEXT: until there is enough.
repeat() { yes "$1" | tr -d '\n' | head -c $bytes; }

# within MEGABYTES NAME: what reading it takes at most.
within()
{
	used=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$HOTPATH" compare "$2" good.json)
	[ -n "$sanitized" ] || [ "$used" -le "$1" ] || fail "$2 takes $used MB, more than $1"
}

# large MEGABYTES TEXT NAME
large()
{
	refuse 2 "$2" "$HOTPATH" compare "$3" good.json
	within "$1" "$3"
	rm -f "$3"
}

repeat '[' > nested
large 200 'too large' nested
repeat '{"a":' > nested
large 200 'too large' nested
{ printf '%s,"x":[' "$start"; repeat '1,'; printf '1]}'; } > ones
large 200 'too large' ones
{ printf '%s,"x":[' "$start"; repeat '{},'; } > objects
large 200 'too large' objects
{ printf '%s,"x":"' "$start"; repeat 'a'; } > string
large 400 'unexpected end' string
{ printf '%s,"pid":"' "$start"; repeat '\"{['; printf '"}'; } > string
large 600 "'pid' is not" string
tr -dc 'a-z{}[]":,' < /dev/urandom | head -c $bytes > noise
large 200 'neither a segment nor a saved report' noise

# A report of that size is read, unless its end is missing.
{
	printf '%s,"program":"p","elapsed_ns":1000,"functions_timing":{"percentiles":[],"data":[' "$start"
	awk -v bytes=$bytes 'BEGIN {
		for (i = 0; size < bytes; i++) {
			row = sprintf("%s{\"name\":\"function_%d\",\"kind\":\"function\",\"calls\":%d,\"total_ns\":900,\"self_ns\":%d,\"sum_ns\":900,\"location\":{\"file\":\"some/folder/of/the/program/file_%d.c\",\"line\":%d}}",
				i ? "," : "", i, i + 1, i ? 0 : 900, i % 100, i)
			size += length(row)
			printf "%s", row
		}
	}'
	printf ']}}\n'
} > rows
[ "$(wc -c < rows)" -ge $bytes ] || fail "the large report is not large"
head -c -10 rows > short
large 1800 'unexpected end' short
expect 0 "$HOTPATH" compare -o /dev/null --fail-on none rows rows
within 1800 rows

exit "$failed"
