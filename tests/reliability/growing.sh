#!/bin/sh
# SPDX-License-Identifier: MIT
# A program may end while its segment grows: what it measured is there, and it ends as it wants.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"

growing=$BUILD/tests/reliability/growing
export HOTPATH_OUTPUT_FORMAT=none
number=0
while [ "$number" -lt 25 ]; do
	expect 7 "$HOTPATH" run "$growing" "$number"
	quiet "$work/stderr"
	expect 7 "$growing" "$number"
	quiet "$work/stderr"
	number=$((number + 1))
done
"$HOTPATH" report --format json > "$work/report"
jq -e '.exit.clean and .exit.status == 7 and .functions_timing.total_count > 4 * 100' "$work/report" \
	> "$work/answer" || fail "$(head -c 300 "$work/report")"

exit "$failed"
