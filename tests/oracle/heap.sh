#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program allocates that nobody here built is what valgrind and heaptrack count.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/../integration/alloc_common.sh"
. "$(dirname "$0")/heap_common.sh"

jq -n '[range(300) | {n: ., text: "\(.)", more: [range(. % 7)]}]' > "$work/input"
same_heap jq 'map(select(.n % 3 == 0) | .text + (.more | map(. * 2) | tostring)) | sort | join(",")' \
	"$work/input"
same_heap jq -r '.[] | .text | ascii_upcase | test("1+2?")' "$work/input"
same_heap ls -lR "$(dirname "$0")"

exit "$failed"
