# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of waits share. Sourced.
# shellcheck disable=SC1091,SC2154
. "$(dirname "$0")/locks_common.sh"

# rows REPORT: "function reason target count" of the first process in it, sorted.
rows()
{
	jq -r -s '.[0].waits.data[] | "\(.name) \(.reason) \(.target // "-") \(.wait_sampled_count)"' "$1" | sort
}

# tells REPORT: it has the rows that the program has printed, and no others of the same functions.
tells()
{
	sed -n 's/^= //p' "$work/stdout" | sort > "$work/own"
	cut -d' ' -f1 "$work/own" | sort -u > "$work/functions"
	rows "$1" | grep -w -f "$work/functions" > "$work/told" || :
	diff "$work/own" "$work/told" > "$work/diff" || fail "$name: $(cat "$work/diff")"
}
