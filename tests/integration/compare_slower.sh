#!/bin/sh
# SPDX-License-Identifier: MIT
# A version in which one function is 10 % slower: 10 runs find it, and nothing else; one run finds an allocation more.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
program=$BUILD/tests/programs/versions

# verdicts VERDICT: the functions that are judged so.
verdicts()
{
	jq -r "[.sections[] | select(.name == \"timing\").rows[] | select(.verdict == \"$1\").name] | sort | join(\" \")" \
		"$work/compared"
}

# batch: ten tries; the function is found in nine of them at least, and nothing else is.
batch()
{
	found=0 alone=0
	for try in 1 2 3 4 5 6 7 8 9 10; do
		status=0
		"$HOTPATH" compare --runs 10 --base "$program" --head "$program slower=10" --format json \
			-o "$work/compared" || status=$?
		[ "$status" -lt 2 ] || fail "try $try ended with $status"
		[ "$status" = 1 ] && verdicts slower | grep -qw parse && found=$((found + 1))
		[ "$(verdicts slower)" = parse ] && [ -z "$(verdicts faster)" ] && alone=$((alone + 1))
		echo "try $try: $status, slower: $(verdicts slower), faster: $(verdicts faster), unclear: $(verdicts unclear)"
	done
	echo "found in $found of 10 tries, alone in $alone"
	[ "$found" -ge 9 ] && [ "$alone" -ge 9 ]
}

# judged STATUS VERDICT NAMES OPTION...: it ends so, and these functions are judged so.
judged()
{
	wanted=$1 verdict=$2 names=$3 status=0
	shift 3
	"$HOTPATH" compare "$@" --format json -o "$work/compared" || status=$?
	echo "$*: $status, $verdict: $(verdicts "$verdict")"
	[ "$status" = "$wanted" ] && [ "$(verdicts "$verdict")" = "$names" ]
}

# quiet: the same program twice is known to be as fast within 10 %, which is what is to be found.
quiet()
{
	"$HOTPATH" compare --runs 10 --base "$program" --head "$program" --fail-on none --format json -o "$work/compared"
	jq -e '.sections[] | select(.name == "timing").rows[] | select(.name == "parse").metrics.self |
		.high / .low < 1.1' "$work/compared" > /dev/null
}

# thrice COMMAND...: a machine may be disturbed while it runs. On one that is quiet before and after it, three times is a
# failure; on one that is never quiet for so long, nothing is known.
thrice()
{
	fails=0
	for attempt in 1 2 3 4 5 6 7 8; do
		calm=1
		quiet || calm=0
		! "$@" || return 0
		quiet || calm=0
		fails=$((fails + calm))
		echo "attempt $attempt: '$1' failed on a machine that was $([ $calm = 1 ] || echo 'not ')quiet"
		if [ "$fails" = 3 ]; then
			fail "not so: $*"
			return 0
		fi
	done
	[ "$failed" = 0 ] || exit 1
	echo "skipped: times vary by more than 10 % here"
	exit 77
}

thrice batch
# The other way round it is faster, and that is no regression.
thrice judged 0 faster parse --runs 10 --base "$program slower=10" --head "$program"
# One run of each side tells nothing of times that are not far off; but of one that is.
thrice judged 0 unclear 'load parse render store tokenize' --runs 1 --base "$program" --head "$program slower=10"
thrice judged 1 slower parse --runs 1 --base "$program" --head "$program slower=400"

# What is exact is known by one run.
expect 1 "$HOTPATH" compare --runs 1 --alloc=count --fail-on alloc --base "$program" --head "$program blocks=2" \
	--format json -o "$work/compared"
jq -e '.sections[] | select(.name == "alloc").rows[] | select(.name == "render") |
	.verdict == "more" and .metrics.alloc_count.before == 40 and .metrics.alloc_count.after == 80' \
	"$work/compared" > /dev/null ||
	fail "one block more: $(jq -c '.sections[] | select(.name == "alloc")' "$work/compared")"

exit "$failed"
