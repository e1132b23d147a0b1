#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is killed leaves the figures of all that it had allocated, and what of it was left.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

# killed STEPS: it is killed when it has done so many, or some more.
killed()
{
	what="$built: killed after $1 steps" broken=
	rm -f "$work/report" "$work/progress"
	"$HOTPATH" run --alloc --format json --limit 0 -o "$work/report" -- "$program" run "$work/progress" &
	child=$!
	"$program" strike "$work/progress" "$1"
	status=0
	wait "$child" 2> /dev/null || status=$?
	[ "$status" = 137 ] || fail "$what: it ended with $status"
	steps=$("$program" steps "$work/progress")
}

# The step that it was at may be in the figures in part.
consistent()
{
	holds "([.functions_alloc.data[] | select(.name == \"takes\")][0] | .count - $steps | . == 0 or . == 1) and
		([.functions_alloc.data[] | select(.name == \"takes\") | .bytes - .count * 100][0] |
			. == 0 or . == 100) and
		(([.functions_alloc.data[] | select(.name == \"frees\").freed_count][0] // 0) -
			($steps / 3 | floor) | . == 0 or . == 1) and
		([.memory_live.data[] | select(.name == \"takes\")] | (map(.blocks) | add // 0) -
			($steps - ($steps / 3 | floor)) | . >= -1 and . <= 1) and
		([.memory_live.data[] | select(.name == \"takes\")] | (map(.bytes) | add // 0) -
			100 * (map(.blocks) | add // 0) | . == 0 or . == 100 or . == -100) and
		(.dropped | all(. == 0))"
}

build gcc -O2 alloc_killed.c
for steps in 1 2 3 10 99 100 1000 1001 5000 20000 200000; do
	killed "$steps"
	consistent
done

exit "$failed"
