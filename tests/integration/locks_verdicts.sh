#!/bin/sh
# SPDX-License-Identifier: MIT
# What the section bottlenecks says of functions that wait for a lock is what their own stamps say; and who computes, or
# has no processor, is never said to wait for one.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"

# judged OPTIONS PROGRAM MODE: leaves $work/report.
judged()
{
	options=$1 name="$2 $3 $1"
	rm -f "$work/report"
	# shellcheck disable=SC2086
	expect 0 timeout -s KILL 60 "$HOTPATH" run $options --format json --limit 0 -o "$work/report" -- "$programs/$2" "$3"
	quiet "$work/stderr"
}

row='def row(name): .bottlenecks.data[] | select(.name == name);'

# holds FILTER: of the report; $wall and $lock are the program's stamps of update_stats, $queue is the queueing time of all
# threads.
wall=0 lock=0
holds()
{
	[ "$(jq --argjson wall "$wall" --argjson lock "$lock" "$row ([.threads.data[].queue_ns] | add) as \$queue | $1" \
		"$work/report")" = true ] ||
		fail "$name: not so: $1, with $wall and $lock, in $(jq -c '.bottlenecks, .lock_waits.data, .threads.data' "$work/report")"
}

# Parts of every row add up.
check_sums()
{
	holds '[.bottlenecks.data[] | select(.cpu_ns) | .cpu_ns + .queue_ns + .wait_ns == .wall_ns] | all'
	holds '[.bottlenecks.data[] | select(.lock_ns and .verdict) |
		.lock_ns + .disk_ns + .network_ns + .pipe_ns + .idle_ns +
		if .cpu_ns then .unexplained_ns else 0 end == .wait_ns] | all'
}

# check_lock LOCK: its share, by both clocks, but for a few percent; and but for queueing: a thread that is woken while no
# processor is free no longer waits for the lock.
check_lock()
{
	wall=$(own wall_ns) lock=$(own lock_ns)
	holds 'row("update_stats") | (.wall_ns - $wall | fabs) < $wall * 0.03'
	holds 'row("update_stats") | .lock_ns < $lock + $wall * 0.03'
	holds 'row("update_stats") | .lock_ns + $queue > $lock - $wall * 0.03'
	holds 'row("update_stats").waits_for | [.reason, .target, .holder] == ["lock", "'"$1"'", "find_customer"]'
	holds '$lock - $queue < $wall * 0.65 or (row("update_stats") | .verdict == "lock" and .confidence == "high")'
	holds '$lock - $queue < $wall * 0.65 or (.bottlenecks.summary |
		map(test("^update_stats waits [0-9]+ % of its .* for '"$1"', mostly held by find_customer$")) | any)'
	check_sums
}

# check_holder VERDICT, ...: of the one that keeps the lock; and who waits for it does not compute.
check_holder()
{
	holds 'row("update_stats").verdict | . != "cpu" and . != "wait"'
	holds 'row("find_customer").verdict | IN('"$1"')'
	holds 'row("find_customer") | .lock_ns < .wall_ns / 10'
}

check_computing()
{
	check_lock stats_lock
	check_holder '"cpu", "starved"'
}

# Where threads queue, it may not be known who of them did.
check_sleeping()
{
	check_lock stats_lock
	check_holder '"wait", "idle", "starved", null'
}

check_spinning() { check_lock busy_lock; }

# Without samples: nobody claims to know who computes.
check_unsampled()
{
	check_lock stats_lock
	check_holder null
	holds 'row("find_customer") | .cpu_ns == null and .queue_ns == null'
	holds '.bottlenecks.summary | map(test("comput")) | any | not'
}

undisturbed check_computing judged '--waits --cpu' lock_verdicts compute
undisturbed check_sleeping judged '--waits --cpu' lock_verdicts sleep
undisturbed check_spinning judged '--waits --cpu' lock_verdicts spin
undisturbed check_unsampled judged '--waits --no-cpu' lock_verdicts compute

# A saved report says the same.
jq -c .bottlenecks "$work/report" > "$work/first"
expect 0 "$HOTPATH" report --format json --limit 0 -o "$work/again" "$work/report"
[ "$(jq -c .bottlenecks "$work/again")" = "$(cat "$work/first")" ] ||
	fail "saved: $(jq -c .bottlenecks "$work/again"), not $(cat "$work/first")"

# Six threads that compute, with one processor.
for mode in free brief; do
	judged '--waits --cpu' lock_verdicts "$mode"
	holds 'row("compute_alone").verdict | . == "starved" or . == "cpu"'
	check_sums
	judged '--waits --no-cpu' lock_verdicts "$mode"
	holds '[.bottlenecks // {data: []} | .data[] | .verdict != "lock"] | all'
done

# Without measured functions rows are threads, of which nobody knows which one waited. acquire is inlined.
judged '--waits --no-cpu' lock_verdicts_bare compute
holds '[.bottlenecks.data[] | .lock_ns == null and .waits_for == null] | all'
holds '.bottlenecks.summary | map(test(
	"^All threads together wait for locks for [0-9]+ % of their .*, mostly (acquire .in )?update_stats.? for stats_lock held by (acquire .in )?find_customer.?$")) | any'

exit "$failed"
