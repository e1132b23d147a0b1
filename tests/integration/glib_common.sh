# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of the probe for GLib share. Sourced.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD
programs=$BUILD/tests/programs

# measure PROGRAM ARGUMENT...: with the probe; leaves $work/report, and what the program counted in $work/stdout.
measure()
{
	name=$*
	rm -f "$work/report"
	expect 0 "$HOTPATH" run --each --probes=glib --format json --limit 0 -o "$work/report" -- "$programs/$1" ${2+"$2"}
	quiet "$work/stderr"
}

# own NAME: what the program counted.
own() { sed -n "s/^$1 //p" "$work/stdout"; }

# reports FILTER: what jq finds in the report.
reports() { jq -c "$1" "$work/report"; }

# equals EXPECTED FILTER
equals()
{
	actual=$(reports "$2")
	[ "$actual" = "$1" ] || fail "$name: $2 is $actual, not $1"
}

# holds [OPTION OF jq]... FILTER: it is true in the report.
holds()
{
	[ "$(jq "$@" "$work/report")" = true ] ||
		fail "$name: not so: $*, in $(reports '.channels, .futures, .loops')"
}
