#!/bin/sh
# SPDX-License-Identifier: MIT
# Waits for locks and holds of them take as long as the program's own stamps say, within 2 percent of their sums; counts
# are exact.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"

near='def near($own; $more): (. - $own | fabs) <= $own * 0.02 + $more;'

check_holds()
{
	equals "$(own acquired)" '.locks.data[0].acquired_count'
	equals "$(own acquired)" '.locks.data[0].hold_sampled_count'
	holds --argjson own "$(own hold_ns)" "$near .locks.data[0].hold_sum_ns | near(\$own; 0)"
}

check_times()
{
	check_holds
	# The program cannot tell a wait from a lock that was free: some hundred nanoseconds each.
	holds --argjson own "$(own wait_ns)" "$near .locks.data[0] | .acquired_count as \$n | .wait_sum_ns | near(\$own; \$n * 500)"
	# Each row is rounded to nanoseconds.
	holds '.locks.data[0].wait_sum_ns - ([.lock_waits.data[].wait_sum_ns] | add // 0) | fabs <= 10'
	holds '.locks.data[0].contended_count == ([.lock_waits.data[].wait_sampled_count] | add // 0)'
}

# Readers hold it together, and nobody waits.
check_readers()
{
	check_holds
	equals '[0,0]' '.locks.data[0] | [.contended_count, .wait_sum_ns]'
}

for case in 'mutex 2 100' 'mutex 8 30' 'mutex 64 4' 'c11 8 20' 'write 8 20'; do
	# shellcheck disable=SC2086
	undisturbed check_times locked lock_times $case
done
# A thread that is interrupted when it has just got the lock is still counted among those that wait.
check_pair()
{
	check_times
	equals 1 '.locks.data[0].max_waiters'
}
undisturbed check_pair locked lock_times spin 2 60
undisturbed check_holds locked lock_times condition 8 10
undisturbed check_readers locked lock_times read 8 20
# A lock of the program's own make, that it tells of.
check_own()
{
	check_holds
	equals "$(own waits)" '.locks.data[0].contended_count'
	holds --argjson own "$(own wait_ns)" "$near .locks.data[0].wait_sum_ns | near(\$own; 0)"
	equals '["counter","own",1,true]' '.locks.data[0] | [.name, .lock_type, .instances, .has_custom_label]'
	equals "[[\"serve\",\"serve\",\"counter\",$(own waits)]]" '[.lock_waits.data[] | [.name, .holder, .lock, .wait_sampled_count]]'
}
undisturbed check_own locked own_locks 2 100
locked lock_times mutex 64 4
holds '.locks.data[0].max_waiters > 30'

exit "$failed"
