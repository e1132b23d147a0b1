#!/bin/sh
# SPDX-License-Identifier: MIT
# A program compared with itself, 50 runs each, while something else keeps a core busy: at most 5 % of the rows are
# judged to be slower or faster.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
program=$BUILD/tests/programs/versions

sh -c 'while :; do :; done' &
load=$!
on_exit='kill "$load"'

# compare_once: leaves the rows that a verdict may be of, the whole program too, in $work/rows.
compare_once()
{
	expect 0 "$HOTPATH" compare --runs 50 --alloc=count --cpu --report all --fail-on none --base "$program" \
		--head "$program" --format json -o "$work/compared"
	kill -0 "$load" || fail 'nothing kept the core busy'
	jq -r '.program, .sections[].rows[] | select(.minor | not) | .verdict + " " + .name' \
		"$work/compared" > "$work/rows"
	[ "$(wc -l < "$work/rows")" -ge 15 ] || fail "rows are missing: $(cat "$work/rows")"
	# What is exact is that, however busy the machine.
	jq -e '[.sections[] | select(.name == "timing" or .name == "alloc") | .rows[].metrics[] |
		select(.kind == "exact")] | length > 0 and all(.stable and .verdict == "same")' \
		"$work/compared" > /dev/null || fail "exact figures differ: $(cat "$work/compared")"
}

# One comparison in twenty may have a wrong row, which is more than 5 % of its own: then others count as well.
rows=0 judged=0
for _ in 1 2 3; do
	compare_once
	rows=$((rows + $(wc -l < "$work/rows")))
	judged=$((judged + $(grep -c '^slower\|^faster' "$work/rows" || :)))
	echo "judged so far: $judged of $rows rows; $(grep '^slower\|^faster' "$work/rows" | tr '\n' ' ')"
	[ $((judged * 20)) -gt "$rows" ] || break
done
[ $((judged * 20)) -le "$rows" ] || fail 'more than 5 % of the rows were judged'

exit "$failed"
