#!/bin/sh
# SPDX-License-Identifier: MIT
# All that a program waited for, by reason, adds up to what the kernel says that it did not compute and did not queue for a
# processor.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/locks_common.sh"

# What the callees of "work" waited. A call that blocks ends when the thread has a processor again: the time that it queued for
# one may be part of it.
check_total()
{
	waited=$(jq '[(.lock_waits, .waits, .io) | .data[]? | select(.name | test("^(main|work)$|write_late") | not) |
		.wait_sum_ns // .sum_ns // 0] | add' "$work/report")
	[ "$(jq -n "($waited - $(own waited)) as \$more | \$more >= -0.05 * $(own waited) and
		\$more <= 0.05 * $(own waited) + $(own queued)")" = true ] ||
		fail "$name: the report has $waited ns, the program $(own waited) and $(own queued) in queues"
}

for case in '1 40' '8 20'; do
	# shellcheck disable=SC2086
	undisturbed check_total locked off_cpu $case
done

exit "$failed"
