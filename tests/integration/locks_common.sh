# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of locks share. Sourced.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD HOTPATH_WAITS
programs=$BUILD/tests/programs
probe_option=--waits

# locked PROGRAM ARGUMENT...: with the probe; leaves $work/report, and what the program knows in $work/stdout.
locked()
{
	name=$*
	rm -f "$work/report"
	program=$1
	shift
	expect 0 "$HOTPATH" run --each "$probe_option" --format json --limit 0 --locks-limit 0 --lock-waits-limit 0 -o "$work/report" -- \
		"$programs/$program" "$@"
	quiet "$work/stderr"
}

# own NAME: what the program knows.
own() { sed -n "s/^@$1 //p" "$work/stdout"; }

# equals EXPECTED FILTER: what jq finds in the report.
equals()
{
	actual=$(jq -c "$2" "$work/report")
	[ "$actual" = "$1" ] || fail "$name: $2 is $actual, not $1"
}

# holds [OPTION OF jq]... FILTER: it is true in the report.
holds()
{
	[ "$(jq "$@" "$work/report")" = true ] ||
		fail "$name: not so: $*, in $(jq -c '.locks.data, .lock_waits.data' "$work/report")"
}
