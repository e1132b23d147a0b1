#!/bin/sh
# SPDX-License-Identifier: MIT
# Waits take as long as the program's own stamps say, within 2 percent of their sum; counts are exact.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits_common.sh"

run()
{
	name=$*
	expect 0 timeout 60 "$HOTPATH" run --waits --format json --waits-limit 0 -o "$work/report" -- "$programs/wait_times" "$@"
	quiet "$work/stderr"
	[ "$status" != 77 ] || exit 77
}

# What the program's stamps have around each call is some microseconds at most; of the first wait of a thread, more.
check()
{
	row=".waits.data | map(select(.name == \"wait_$family\" and .reason == \"$family\"))"
	jq -s '.[0]' "$work/report" > "$work/first"
	mv "$work/first" "$work/report"
	equals "[$(own count)]" "$row | map(.wait_sampled_count) | [add]"
	holds --argjson own "$(own ns)" --argjson n "$(own count)" --argjson threads "$threads" \
		"$row | map(.wait_sum_ns) | add | (. - \$own | fabs) <= \$own * 0.02 + \$n * 1000 + \$threads * 100000"
}

for case in 'condition 2 100' 'condition 8 50' 'condition 64 10' 'semaphore 2 100' 'semaphore 8 50' 'semaphore 64 10' \
	'barrier 4 20' 'join 2 50' 'once 1 30' 'sleep 4 50' 'poll 4 50' 'child 2 30' 'signal 4 50' 'futex 4 50'; do
	family=${case%% *} threads=${case% *} threads=${threads#* }
	# shellcheck disable=SC2086
	undisturbed check run $case
done

exit "$failed"
