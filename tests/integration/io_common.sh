# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of input and output share. Sourced.
# shellcheck disable=SC1091,SC2034,SC2154
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD HOTPATH_WAITS HOTPATH_IO_LIMIT
programs=$BUILD/tests/programs
mkdir "$work/files"

# recorded COMMAND...: runs it, and leaves $work/report, with all rows.
recorded()
{
	name=$(basename "$1")
	expect "${status_wanted:-0}" "$HOTPATH" run --each --waits=io --io-limit 0 --format json -o "$work/report" -- "$@"
}

# rows JQ: the rows of the first process as lines, made by an expression of jq. A function that was inlined is known by the one
# around it.
rows()
{
	jq -r -s ".[0].io.data[] | (.name |= (capture(\"[(]in (?<f>.*)[)]\").f // .)) | $1" "$work/report" | sort
}

# row FUNCTION OPERATION TARGET JQ: what the only such row says.
row()
{
	jq -c -s --arg f "$1" --arg o "$2" --arg t "$3" \
		".[0].io.data[] | select(.name == \$f and .operation == \$o and .target == \$t) | $4" "$work/report"
}

# is FUNCTION OPERATION TARGET JQ VALUE
is()
{
	value=$(row "$1" "$2" "$3" "$4")
	[ "$value" = "$5" ] || fail "$name: $1, $2 of $3: $4 is '$value', not $5"
}
