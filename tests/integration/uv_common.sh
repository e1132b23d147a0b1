# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
# What the tests of the probe for libuv share. Sourced; HOTPATH and BUILD are set.
. "$(dirname "$0")/expect.sh"

programs=$BUILD/tests/programs

cd "$work" || exit 1

# observe PROGRAM: its report in $work/report, and what it says itself in $work/stdout.
observe()
{
	what=$1
	expect 0 timeout 60 "$HOTPATH" run --each --probes=uv --report futures,loops,threads --format json --limit 0 \
		-o "$work/report" -- "$programs/$1"
	quiet "$work/stderr"
}

# as_it_says: all that the program says of its requests and handles is in the report, and no others are; nothing was
# lost but what it says.
as_it_says()
{
	jq -c --slurpfile truth "$work/stdout" '
		(.futures.data // [] | map({(.name): .}) | add // {}) as $row |
		($truth[] | select(.name) | select((($row[.name] // {}) * .) != $row[.name]) |
			{true: ., reported: $row[.name]}),
		($row | keys - [$truth[].name])[],
		([.loops.data[].callback_count] | add) as $ran |
		($truth[] | select(.callbacks) | select(.callbacks != $ran) | {true: ., reported: $ran}),
		([$truth[].abandoned // 0] | add) as $left |
		(.dropped | .abandoned -= $left | with_entries(select(.value != 0)) | select(. != {}))' \
		"$work/report" > "$work/not_so" ||
		fail "$what: no report"
	[ ! -s "$work/not_so" ] || fail "$what: $(cat "$work/not_so")"
}

# holds FILTER: over the rows of futures and loops, each an object by name.
holds()
{
	[ "$(jq -r "(.futures.data | map({(.name): .}) | add) as \$futures |
		(.loops.data | map({(.name): .}) | add) as \$loops | $1" "$work/report")" = true ] ||
		fail "$what: not so: $1: $(jq -c '.futures.data, .loops.data' "$work/report")"
}
