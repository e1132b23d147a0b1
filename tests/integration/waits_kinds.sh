#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function that waits does what it does without the probe, and is counted as often as the program says.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits_common.sh"

# plain PROGRAM: what it prints without the probe. Skipped where the kernel does not tell in which call a thread is.
plain()
{
	status=0
	timeout 60 "$1" > "$work/plain" || status=$?
	[ "$status" != 77 ] || exit 77
	[ "$status" = 0 ] || fail "$1 ends with $status"
}

# alike WHAT: it has printed the same with the probe.
alike() { cmp -s "$work/plain" "$work/stdout" || fail "$1: $(diff "$work/plain" "$work/stdout")"; }

for program in wait_kinds wait_leaves; do
	name=$program
	plain "$programs/$program"
	expect 0 timeout 60 "$HOTPATH" run --waits --format json --waits-limit 0 -o "$work/report" -- "$programs/$program"
	alike "$program"
	quiet "$work/stderr"
	tells "$work/report"

	# With all that can be measured, by another clock, with the probe alone, and off.
	expect 0 env HOTPATH_CLOCK=monotonic timeout 60 "$HOTPATH" run --waits --alloc --cpu --format json --waits-limit 0 \
		-o "$work/report" -- "$programs/$program"
	alike "$program, all"
	tells "$work/report"
	for part in HOTPATH_WAITS=locks HOTPATH_WAITS=0 HOTPATH_OFF=1; do
		expect 0 env "$part" LD_PRELOAD="$BUILD/src/probes/waits/libhotpath-waits.so" \
			HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/own_report" timeout 60 "$programs/$program"
		alike "$program, $part"
		quiet "$work/stderr"
	done

	# Locks alone: no other waits.
	expect 0 timeout 60 "$HOTPATH" run --waits=locks --format json -o "$work/report" -- "$programs/$program"
	alike "$program, locks"
	[ -z "$(rows "$work/report")" ] || fail "$program: --waits=locks has waits: $(rows "$work/report")"
	[ "$(jq -s '.[0].locks.data | length' "$work/report")" -gt 0 ] || fail "$program: --waits=locks has no locks"
done

# Linked statically, with the linker's --wrap.
if [ -e "$programs/static_wait_kinds" ]; then
	for program in wait_kinds wait_leaves; do
		name=static_$program
		plain "$programs/$program"
		expect 0 timeout 60 "$HOTPATH" run --waits --format json --waits-limit 0 -o "$work/report" -- \
			"$programs/static_$program"
		alike "$name"
		tells "$work/report"
	done
fi

# No more system calls that wait than without the probe.
if command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null; then
	calls=futex,poll,ppoll,select,pselect6,nanosleep,clock_nanosleep,epoll_wait,epoll_pwait,wait4,waitid,pause,rt_sigsuspend
	count() { awk '$NF == "total" { print $4 }' "$1"; }
	strace -f -c -e "trace=$calls" -o "$work/plain_calls" "$programs/wait_calls" > /dev/null
	"$HOTPATH" run --no-cpu --waits --format none -- strace -f -c -e "trace=$calls" -o "$work/calls" "$programs/wait_calls" > /dev/null
	[ "$(count "$work/plain_calls")" -gt 100 ] || fail "strace: $(cat "$work/plain_calls")"
	[ "$(count "$work/plain_calls")" = "$(count "$work/calls")" ] ||
		fail "system calls: $(cat "$work/plain_calls" "$work/calls")"
else
	echo "SKIPPED: system calls are not counted, strace does not work here"
fi

exit "$failed"
