#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls per function are those that callgrind counts in the same run.
. "$(dirname "$0")/../integration/expect.sh"

command -v valgrind > "$work/which" || { echo "valgrind is not installed"; exit 77; }

export HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report.json" HOTPATH_LIMIT=0
expect 0 valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" \
	"$BUILD/tests/oracle/counted"

# The calls of a function by all its callers: "calls=N …" follows the callee's "cfn=(id) name". A name is
# written once and then known by its id; recursion levels have a name of their own, "name'2".
callgrind_calls()
{
	awk -v name="$1" '
		/^c?fn=/ {
			id = $0
			sub(/^c?fn=/, "", id)
			sub(/ .*/, "", id)
			if (NF > 1) {
				known[id] = $2
				sub(/\047[0-9]+$/, "", known[id])
			}
			if (/^cfn=/)
				callee = known[id]
		}
		/^calls=/ {
			count = $1
			sub(/^calls=/, "", count)
			if (callee == name)
				calls += count
		}
		END { print calls + 0 }' "$work/callgrind.out"
}

for name in leaf inner outer fibonacci is_even is_odd; do
	counted=$(callgrind_calls "$name")
	measured=$(jq --arg name "$name" \
		'[.functions_timing.data[] | select(.name == $name).calls] | add' "$work/report.json")
	[ "$counted" -gt 0 ] || fail "callgrind did not see $name"
	[ "$counted" = "$measured" ] || fail "$name: callgrind counts $counted calls, we $measured"
done
exit "$failed"
