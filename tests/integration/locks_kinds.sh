#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function that acquires a lock does what it does without the probe, and each lock was acquired as often as the
# program says.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"

# counted: all rows of the parent are as the program says; its child has acquired the lock that it inherited.
counted()
{
	sed -n 's/^= \([a-z0-9_]*\) \([a-z-]*\) \([0-9]*\)$/["\1","\2",\3]/p' "$work/stdout" | tr - ' ' | sort > "$work/own"
	jq -c -s '.[0].locks.data[] | [.name, .lock_type, .acquired_count]' "$work/report" | sort > "$work/told"
	# The mutex of C11 is used by a condition later, too.
	sed -i 's/"plain_c11","mutex",2/"plain_c11","mutex",4/' "$work/own"
	diff "$work/own" "$work/told" > "$work/diff" || fail "$name: $(cat "$work/diff")"
	[ "$(jq -c -s 'map(.locks.data[] | select(.name == "forked") | .acquired_count) | sort' "$work/report")" = '[1,100]' ] ||
		fail "$name: not 1 and 100: $(jq -c '.locks.data' "$work/report")"
}

expect 0 "$programs/lock_kinds"
cp "$work/stdout" "$work/plain"
locked lock_kinds
cmp -s "$work/plain" "$work/stdout" || fail "with the probe: $(diff "$work/plain" "$work/stdout")"
counted
# What failed in time, or at once; recursion is one hold, and a condition two.
locks='[.locks.data[] | {(.name + .lock_type): [.contended_count, .refused_count, .hold_sampled_count]}] | add'
for row in 'normalmutex:[2,3,4]' 'recursivemutex:[0,1,1]' 'checkingmutex:[0,2,1]' 'robustmutex:[0,0,4]' \
	'sharedrwlock read:[2,3,4]' 'sharedrwlock write:[2,4,2]' 'spinningspin:[0,1,2]' 'conditionalmutex:[0,0,3]' \
	'cancelledmutex:[0,0,2]' 'earlymutex:[0,0,1]'; do
	[ "$(jq -c -s ".[0] | $locks | .[\"${row%%:*}\"]" "$work/report")" = "${row#*:}" ] ||
		fail "$row: $(jq -c -s ".[0] | $locks" "$work/report")"
done

# Who was refused is known for each of them: rows by function and holder add up to those of locks, but for the one that its own
# thread held.
[ "$(jq -c -s '.[0] | [.locks.data[] | select(.refused_count > 0) | if .name == "checking" then .refused_count -= 1 else . end] |
	group_by(.name) |
	map([.[0].name, (map(.refused_count) | add)]) | sort' "$work/report")" = \
	"$(jq -c -s '.[0] | [.lock_waits.data[] | select(.refused_count > 0)] | group_by(.lock) |
	map([.[0].lock, (map(.refused_count) | add)]) | sort' "$work/report")" ] ||
	fail "refused: $(jq -c -s '.[0] | .locks.data, .lock_waits.data' "$work/report")"

# The share of those that had to wait is that of all that came, also if some had waited in vain.
for row in 'normal:[2,4,33.3]' 'recursive_c11:[1,3,25]' 'checking:[0,1,0]'; do
	jq -c -s --arg name "${row%%:*}" '.[0].locks.data[] | select(.name == $name) |
		[.timed_out_count, .uncontended_count, (.contended_percent * 10 | floor / 10)]' "$work/report" > "$work/row"
	same "${row#*:}" "$work/row"
done

# By another clock, and with other probes.
HOTPATH_CLOCK=monotonic locked lock_kinds
counted
expect 0 "$HOTPATH" run --waits --alloc --cpu --format none -- "$programs/lock_kinds"
cmp -s "$work/plain" "$work/stdout" || fail "with all probes: $(diff "$work/plain" "$work/stdout")"

# Children, and jumps out of signal handlers that interrupt the probe anywhere.
for options in --no-cpu --cpu; do
	# shellcheck disable=SC2086
	expect 0 timeout 60 "$HOTPATH" run --each --waits $options --format json -o "$work/report" -- "$programs/lock_storm"
	same '80000
100 children' "$work/stdout"
	counts=$(jq -c -s '[.[].locks.data[] | select(.name == "first" or .name == "second") | .acquired_count]' "$work/report")
	[ "$counts" = '[80000,80000]' ] || fail "storm $options: $counts"
done

# A wait that was over before a fork is one of the parent only.
expect 0 timeout 60 "$HOTPATH" run --each --waits=locks --no-cpu --format json -o "$work/report" -- "$programs/lock_forks"
same 5 "$work/stdout"
counts=$(jq -c -s 'map(.locks.data[]? | select(.name == "forking") | .contended_count) | sort' "$work/report")
[ "$counts" = '[0,0,0,0,0,5]' ] || fail "waits before forks: $counts"
counts=$(jq -s 'map(.lock_waits.data[]? | select(.lock == "forking") | .wait_sampled_count) | add' "$work/report")
[ "$counts" = 5 ] || fail "waits for holders before forks: $counts"

# Nobody records.
probe=$BUILD/src/probes/waits/libhotpath-waits.so
for off in HOTPATH_OFF=1 HOTPATH_WAITS=0; do
	expect 0 env "$off" LD_PRELOAD="$probe" "$programs/lock_kinds"
	cmp -s "$work/plain" "$work/stdout" || fail "$off: $(diff "$work/plain" "$work/stdout")"
	quiet "$work/stderr"
done
# The probe alone, as if the program were linked with it: the program prints its own report.
expect 0 env LD_PRELOAD="$probe" HOTPATH_OUTPUT_PATH="$work/own_report" "$programs/lock_kinds"
cmp -s "$work/plain" "$work/stdout" || fail "linked: $(diff "$work/plain" "$work/stdout")"
says '| conditional' "$work/own_report"
# A program without locks leaves nothing behind.
expect 0 env LD_PRELOAD="$probe" sh -c 'echo here'
same here "$work/stdout"

expect 0 "$HOTPATH" run --waits -- true
says 'no lock and no wait was recorded: the program had none that can be seen, or was started without libhotpath-waits.so' "$work/stderr"

refuse 2 "run: --waits: 'lock' is not a list of all, locks, io or nohold" "$HOTPATH" run --waits=lock -- "$programs/lock_kinds"
expect 0 env HOTPATH_WAITS=maybe LD_PRELOAD="$probe" HOTPATH_OUTPUT_FORMAT=none "$programs/lock_kinds"
says "HOTPATH_WAITS: 'maybe' is not 1, 0, all, locks, io or nohold; the default is used" "$work/stderr"

exit "$failed"
