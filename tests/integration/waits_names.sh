#!/bin/sh
# SPDX-License-Identifier: MIT
# What is waited for, and by which function: the program knows it. Saved, loaded, merged and compared, rows stay apart.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits_common.sh"

# named PROGRAM ARGUMENT...: leaves $work/report.
named()
{
	name=$*
	program=$1
	shift
	expect 0 "$HOTPATH" run --waits --format json --waits-limit 0 -o "$work/report" -- "$programs/$program" "$@"
	quiet "$work/stderr"
}

waits='[.waits.data[] | [.name, .reason, .target, .wait_sampled_count]] | sort'
named wait_names static
equals '[["wait_for","condition","ready",1]]' "$waits"
# By the function that made it, if it is in the heap.
named wait_names heap
equals '[["wait_for","condition","make",3]]' "$waits"
named wait_names label
equals '[["wait_for","condition","an order",1]]' "$waits"
# The function that is measured, if there is one.
named wait_names measured
equals '[["serve","condition","ready",1]]' "$waits"
# More than the table of the probe has room for.
named wait_names many
equals '[["wait_for_many",70000]]' '[.waits.data | group_by(.name)[] | [.[0].name, (map(.wait_sampled_count) | add)]]'

# As a table, in the sections that are shown unasked.
expect 0 "$HOTPATH" run --waits -- "$programs/wait_names" static
says 'waits - What functions wait for, other than locks.' "$work/stderr"
says '| wait_for | condition | ready  |     1 |' "$work/stderr"
expect 0 "$HOTPATH" run --waits=locks -- "$programs/wait_names" static
grep -q '^waits - ' "$work/stderr" && fail "--waits=locks: $(cat "$work/stderr")"

# Saved and loaded; of two processes.
expect 0 "$HOTPATH" run --waits --format none -- "$programs/wait_kinds"
expect 0 "$HOTPATH" report --save "$work/saved"
expect 0 "$HOTPATH" report --save "$work/again" "$work/saved"
[ "$(jq -c '.waits.data | length' "$work/saved")" -gt 20 ] || fail "saved: $(jq -c .waits "$work/saved")"
[ "$(jq -c .waits "$work/saved")" = "$(jq -c .waits "$work/again")" ] || fail "loaded: $(jq -c .waits "$work/again")"
expect 0 "$HOTPATH" run --no-cpu --waits --format json --waits-limit 0 -o "$work/report" -- sh -c "'$programs/wait_names' static & \
	'$programs/wait_names' heap; wait"
name=merged
equals '[["wait_for","condition","make",3],["wait_for","condition","ready",1]]' \
	'[.waits.data[] | select(.reason == "condition") | [.name, .reason, .target, .wait_sampled_count]] | sort'

# Compared: a row for each function, reason and target.
expect 0 "$HOTPATH" run --waits --format none -- "$programs/wait_names" static 1
expect 0 "$HOTPATH" report --save "$work/before"
expect 0 "$HOTPATH" run --waits --format none -- "$programs/wait_names" static 50
expect 0 "$HOTPATH" report --save "$work/after"
expect 0 "$HOTPATH" compare --fail-on none --format json -o "$work/report" "$work/before" "$work/after"
name=compared
holds '[.. | objects | select(.name? == "wait_for, condition, ready")] | length == 1'

exit "$failed"
