#!/bin/sh
# SPDX-License-Identifier: MIT
# What threads wait for now, and deadlocks: in a program that knows it, while it runs and after it was killed.
# shellcheck disable=SC1091,SC2016,SC2034,SC2154,SC2317
set -eu
. "$(dirname "$0")/locks_common.sh"

mkfifo "$work/input"
# Kept open, so that a program waits for more.
exec 3<> "$work/input"
running=
on_exit='[ -z "$running" ] || kill -9 "$running"'

# begin STATE [OPTION]...: returns when the program is in that state.
begin()
{
	name=$1
	shift
	: > "$work/said"
	"$HOTPATH" run --waits=locks --format json "$@" -o "$work/report" -- "$programs/lock_states" "$name" \
		< "$work/input" > "$work/said" 3>&- &
	tool=$!
	until grep -q '^ready$' "$work/said"; do
		kill -0 "$tool" || exit 1
		sleep 0.01
	done
	running=$(id pid)
}

# end: the program is killed; $work/report is what remains of it.
end()
{
	kill -9 "$running"
	running=
	wait "$tool" 2> /dev/null || :
}

# id NAME: of a thread.
id() { sed -n "s/^@$1 //p" "$work/said"; }

# thread NAME: as it is shown.
thread() { echo "$1 $(id "$1")"; }

# now: leaves a report of the program that runs.
now()
{
	expect 0 "$HOTPATH" report --report blocked --format json "$running"
	cp "$work/stdout" "$work/report"
}

# waits "THREAD LOCK FUNCTION HOLDER FUNCTION"...: these, and no others.
waits()
{
	for row; do
		# shellcheck disable=SC2086
		set -- $row
		echo "[\"$1\",$(id "$1"),$(id pid),\"lock\",\"$2\",\"$3\",\"$4\",$(id "$4"),\"$5\"]"
	done | sort > "$work/own"
	jq -c '.blocked.data[]? | [.name, .tid, .pid, .reason, .target, .function, .holder, .holder_tid, .holder_function]' \
		"$work/report" | sort > "$work/told"
	diff "$work/own" "$work/told" > "$work/diff" || fail "$name: $(cat "$work/diff")"
}

# dead [SENTENCE]: the only one, and only its threads are marked.
dead()
{
	marked=$([ $# = 0 ] && echo false || echo true)
	equals "[[${1:+\"Deadlock: $1\"}],$marked]" '[.blocked.deadlocks, (.blocked.data | any(.is_deadlocked))]'
}

# both CHECK...: of the report while the program runs, and of the last one after it was killed.
both()
{
	now
	"$@"
	end
	name="$name, killed"
	"$@"
}

pair()
{
	waits 'out account_b transfer_out in transfer_in' 'in account_a transfer_in out transfer_out'
	dead "$(thread out) waits in transfer_out for account_b, held by $(thread in) (in transfer_in), which waits for account_a, held by $(thread out) (in transfer_out)."
}
begin pair
both pair
holds '.blocked.data | all(.waited_ns == null)'

# There was room for the lock only where others were released before it.
along()
{
	waits 'out account_b transfer_along in transfer_in' 'in account_a transfer_in out transfer_along'
	holds '.blocked.deadlocks | length == 1'
}
begin along
both along

three()
{
	waits 'out account_b transfer_out on transfer_on' 'on account_c transfer_on back transfer_back' \
		'back account_a transfer_back out transfer_out'
	dead "$(thread out) waits in transfer_out for account_b, held by $(thread on) (in transfer_on), which waits for account_c, held by $(thread back) (in transfer_back), which waits for account_a, held by $(thread out) (in transfer_out)."
}
begin three
both three

writer()
{
	waits 'writes account_a write_table reads read_table' 'reads table read_table writes write_table'
	dead "$(thread writes) waits in write_table for account_a, held by $(thread reads) (in read_table), which waits for table, held by $(thread writes) (in write_table)."
}
begin writer
both writer

# One of two readers waits for the writer; the writer says nothing of where they acquired it.
readers()
{
	waits 'reads account_a read_first writes write_then' 'writes table write_then reads read_first'
	equals '[2]' '[.blocked.data[] | select(.name == "writes").holders]'
	holds '.blocked.deadlocks | length == 1'
}
begin readers
both readers

self()
{
	waits 'alone account_a lock_twice alone first_time'
	dead "$(thread alone) waits in lock_twice for account_a, which it holds itself (acquired in first_time)."
}
begin self
both self
begin self
now
# It reads twice, with a pause of 100 ms.
holds '.blocked.data | all(.waited_ns > 100000000)'
end

# The lock is held by a thread that did not have it when the wait began.
handed()
{
	waits 'first account_b first_holder second second_holder' 'second account_a second_holder first first_holder'
	dead "$(thread first) waits in first_holder for account_b, held by $(thread second) (in second_holder), which waits for account_a, held by $(thread first) (in first_holder)."
}
begin handed
both handed

# Threads that compute while they wait.
spin()
{
	waits 'out spin_b spin_out in spin_in' 'in spin_a spin_in out spin_out'
	holds '.blocked.deadlocks | length == 1'
}
begin spin
both spin

# Those that hold the lock go on, or may do so.
queue()
{
	waits 'first account_a wait_for_computing computes compute' 'second account_b wait_for_sleeping sleeps sleep_long'
	dead
}
begin queue
both queue

# One of the two gives up some time.
timed()
{
	waits 'out account_b transfer_out patient transfer_patiently' 'patient account_a transfer_patiently out transfer_out'
	holds '[.blocked.data[] | select(.is_timed).name] == ["patient"]'
	dead
}
begin timed
both timed

# Nobody waits any more: by a timeout, an error, a jump, and the end of the thread.
begin left
now
waits
end

# A lock of the program's own make, which sleeps by one of the C library.
own_lock()
{
	equals '[["waits","own lock","own_waiter","holds","own_holder"]]' \
		'[.blocked.data[] | [.name, .target, .function, .holder, .holder_function]]'
	dead
}
begin own
both own_lock

# Many wait, and all go on.
begin storm
for _ in 1 2 3 4 5; do
	now
	cat "$work/report" >> "$work/reports"
done
end
for _ in 1 2 3 4 5 6 7 8 9 10; do
	begin storm
	end
	cat "$work/report" >> "$work/reports"
done
[ "$(wc -l < "$work/reports")" = 15 ] || fail "not 15 reports"
if grep 'Deadlock' "$work/reports"; then fail 'what passes is called a deadlock'; fi

# The table; what was saved; and a program that ends by itself has nobody who waits.
begin pair
expect 0 "$HOTPATH" report "$running"
says "Deadlock: $(thread out) waits in transfer_out for account_b, held by $(thread in) (in transfer_in), which" "$work/stdout"
says "| $(thread in)" "$work/stdout"
expect 0 "$HOTPATH" report --save "$work/saved.json" "$running"
end
expect 0 "$HOTPATH" report --report blocked --format json "$work/saved.json"
cp "$work/stdout" "$work/report"
pair
begin pair
exec 3>&-
rm "$work/input"
wait "$tool" || fail 'it did not end by itself'
running=
holds 'has("blocked") | not'

# A wait that goes on is no wait for nobody knows what: in a function that has been called before, or in a thread.
# kept PROGRAM OPTION ROW: the sentence that begins so.
kept()
{
	: > "$work/said"
	mkfifo "$work/input"
	exec 3<> "$work/input"
	"$HOTPATH" run --waits "$2" --format none -- "$programs/$1" < "$work/input" > "$work/said" 3>&- &
	tool=$!
	until grep -q '^ready$' "$work/said"; do
		kill -0 "$tool" || exit 1
		sleep 0.01
	done
	until expect 0 "$HOTPATH" report --format json && cp "$work/stdout" "$work/live" &&
		jq -e '[.blocked.data[] | select(.reason == "lock" and .waited_ns > 2e8)] | any' "$work/live" > "$work/is"; do
		kill -0 "$tool" || exit 1
	done
	jq -e --arg row "$3" '.bottlenecks.summary | map(test("^" + $row + " waits [0-9]+ % of its .* for stats_lock, mostly held by keep_lock$")) | any' \
		"$work/live" > "$work/is" || fail "$1 $2: $(jq -c '.bottlenecks, .blocked' "$work/live")"
	exec 3>&-
	rm "$work/input"
	wait "$tool"
}

for option in --cpu --no-cpu; do
	kept lock_kept "$option" take_lock
	kept lock_kept_bare "$option" lock_kept_bare
done

exit "$failed"
