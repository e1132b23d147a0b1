#!/bin/sh
# SPDX-License-Identifier: MIT
# Who tries a lock again and again does not compute: the report has how often it was refused, and by whom, and says so; also
# where no function is measured. Who computes, and looks now and then whether a lock is free, is not accused.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"

# judged OPTIONS PROGRAM MODE: leaves $work/report.
judged()
{
	name="$2 $3 $1"
	rm -f "$work/report"
	# shellcheck disable=SC2086
	expect 0 timeout -s KILL 60 "$HOTPATH" run $1 --format json --limit 0 -o "$work/report" -- "$programs/$2" "$3"
	quiet "$work/stderr"
	refused=$(own refused)
}

# says PATTERN, lacks PATTERN: one of the sentences, or none.
says()
{
	jq -e --arg pattern "$1" '.bottlenecks.summary | map(test($pattern)) | any' "$work/report" > "$work/is" ||
		fail "$name: no sentence is '$1': $(jq -c .bottlenecks "$work/report")"
}
lacks()
{
	jq -e --arg pattern "$1" '.bottlenecks.summary | map(test($pattern)) | any | not' "$work/report" > "$work/is" ||
		fail "$name: a sentence is '$1': $(jq -c .bottlenecks "$work/report")"
}

# Each try is counted, for the lock and for who was refused by whom. The holder is not known while it releases the lock.
check_counts()
{
	equals "[$refused]" '[.locks.data[] | select(.name == "stats_lock").refused_count]'
	equals "[\"$1\",$refused,0]" '[.lock_waits.data[] | select(.lock == "stats_lock")] |
		[(map(.name) | unique[]), (map(.refused_count) | add), (map(.wait_sum_ns) | add)]'
	equals true '[.lock_waits.data[] | select(.lock == "stats_lock")] | max_by(.refused_count).holder == "keep_lock"'
}

spinning='tried stats_lock [0-9]+ times in vain, mostly held by keep_lock, once in [0-9.]+ .s of CPU time: it may be spinning$'
for options in '--waits --cpu' '--waits --no-cpu'; do
	judged "$options" lock_tries_bare try
	check_counts spin_for
	says "^spin_for $spinning"
	lacks 'it is limited by the CPU$'
done
judged '--waits --cpu' lock_tries try
check_counts spin_for
says "^spin_for (computes|queues for a processor) for .*; it $spinning"
lacks 'spin_for.*it is limited by the CPU$'

for program in lock_tries lock_tries_bare; do
	judged '--waits --cpu' "$program" poll
	check_counts work_on
	says '(computes|queues for a processor) for .*(; it is limited by the CPU|would make it faster)$'
	lacks spinning
done

# Who tries a lock that it holds itself asks whether it does.
for program in lock_tries lock_tries_bare; do
	judged '--waits --cpu' "$program" own
	equals "[$refused]" '[.locks.data[] | select(.name == "stats_lock").refused_count]'
	equals '[]' '[.lock_waits.data[]? | select(.lock == "stats_lock")]'
	lacks spinning
done

# A wait for a spin lock is one for a lock, not computing.
for program in lock_tries lock_tries_bare; do
	for options in '--waits --cpu' '--waits --no-cpu'; do
		judged "$options" "$program" lock
		says '^(spin_for|lock_tries.* .busy thread.) waits [0-9]+ % of its .* for busy_lock, mostly held by keep_lock$'
		lacks 'it is limited by the CPU$'
	done
done

# The tables have the column if a lock was refused.
for mode in try lock; do
	expect 0 "$HOTPATH" run --waits --report locks,lock-waits -o "$work/$mode" -- "$programs/lock_tries_bare" "$mode"
done
[ "$(grep -c '| Refused |' "$work/try")" = 2 ] || fail "no columns of tries: $(cat "$work/try")"
! grep -q Refused "$work/lock" || fail "columns of tries, where there were none: $(cat "$work/lock")"

exit "$failed"
