#!/bin/sh
# SPDX-License-Identifier: MIT
# Without hold times, counts, waits and holders are as ever.
# shellcheck disable=SC1091,SC2016,SC2034,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"

rows='[.[0].locks.data[] | [.name, .lock_type, .acquired_count, .contended_count, .refused_count]] | sort'

locked lock_kinds
jq -c -s "$rows" "$work/report" > "$work/with"
probe_option=--waits=locks,nohold
locked lock_kinds
jq -c -s "$rows" "$work/report" > "$work/without"
cmp -s "$work/with" "$work/without" || fail "counts: $(diff "$work/with" "$work/without")"
holds -s 'all(.locks.data | all(.hold_sampled_count == 0 and .hold_min_ns == null and .hold_max_ns == null))'
holds -s '[.[0].locks.data[] | select(.contended_count > 0 and .wait_sum_ns == 0)] == []'

# Who held the lock is known; so it is by the variable of the environment, and all else is recorded.
probe_option=--waits=nohold
locked lock_holders mutex
jq -c '[.lock_waits.data[] | [.name, .holder, .lock, .wait_sampled_count]] | sort' "$work/report" > "$work/without"
probe_option=--waits
locked lock_holders mutex
jq -c '[.lock_waits.data[] | [.name, .holder, .lock, .wait_sampled_count]] | sort' "$work/report" > "$work/with"
cmp -s "$work/with" "$work/without" || fail "holders: $(diff "$work/with" "$work/without")"
holds '.locks.data | all(.hold_sampled_count > 0)'
HOTPATH_WAITS=nohold expect 0 env LD_PRELOAD="$BUILD/src/probes/waits/libhotpath-waits.so" HOTPATH_WAITS=nohold \
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" "$programs/lock_kinds"
holds -s '.[0].locks.data | length > 0 and all(.hold_sampled_count == 0)'
# The table has no columns without a figure.
expect 0 "$HOTPATH" run --waits=nohold --report locks -- "$programs/lock_holders" mutex
says 'Wait total' "$work/stderr"
if grep -q 'Hold' "$work/stderr"; then fail "hold times: $(cat "$work/stderr")"; fi

exit "$failed"
