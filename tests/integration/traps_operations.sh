#!/bin/sh
# SPDX-License-Identifier: MIT
# Operations end once, on any thread; those that overlap add up, those that do not end are shown as open.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	for way in by_itself by_tool; do
		$way "$programs/operations"
		holds "\$row.concurrent.calls == $(calls concurrent)"
		holds "\$row.raced.calls == $(calls raced)"
		holds '$row.never | .calls == 0 and .open == 3'
		holds '$row | del(.never) | all(.open == 0)'
		holds '$row | keys == ["concurrent", "main", "never", "raced"]'
		holds "\$row.concurrent | .min_ns > $(fact lasting) * 0.99"
		holds "\$row.concurrent | .total_ns > $(fact lasting) * $(calls concurrent) * 0.99"
		holds '$row | (.concurrent.total_ns * 100 / .main.total_ns - .concurrent.percent_total) | fabs < 0.1'
		nothing_lost
	done
done

exit "$failed"
