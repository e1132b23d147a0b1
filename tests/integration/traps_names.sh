#!/bin/sh
# SPDX-License-Identifier: MIT
# A row is a place in the source: equal names in two files are two rows, one place used twice is one.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for way in by_itself by_tool; do
	$way "$programs/same_name"
	jq -r '.functions_timing.data[] | select(.caller != true) |
		"\(.name) \(.calls) \(.location.file | sub(".*/"; ""))"' "$work/report" | sort > "$work/rows"
	same 'label 3 same_name.c
label 7 same_name.c
shared_inline 800 same_name.h
twin 300 same_name.c
twin 500 same_name_other.c' "$work/rows"
	[ "$(jq '[.functions_timing.data[] | select(.name == "twin").location.line] | unique | length' \
		"$work/report")" = 1 ] || fail 'the twins are not on the same line: the test proves less'
done

exit "$failed"
