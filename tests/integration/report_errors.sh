#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath report says in one line why there is no report, and ends with the right status.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

report() { "$HOTPATH" report "$@"; }

# Nothing found.
refuse 1 "no segments in $HOTPATH_DIR" report
refuse 1 'no segment of process 1' report 1
refuse 1 'no segment of process 999999999' report 999999999
refuse 1 "no segments in" "$HOTPATH" list
HOTPATH_DIR=$work/missing refuse 1 "no segments in $work/missing" report

# Not to be read.
refuse 2 'No such file' report "$work/missing.json"
refuse 2 'Is a directory' report "$work"
printf 'just some text\n' > "$work/text"
refuse 2 'neither a segment nor a saved report' report "$work/text"
: > "$work/empty"
refuse 2 'an empty file' report "$work/empty"
refuse 2 'not a hotpath report' report /dev/fd/3 3<< END
{"type": "something else"}
END
refuse 2 'schema 2' report /dev/fd/3 3<< END
{"type": "hotpath_report", "schema": 2}
END
refuse 2 "'pid' is not" report /dev/fd/3 3<< END
{"type": "hotpath_report", "schema": 1, "pid": "one"}
END
if [ "$(id -u)" != 0 ]; then
	: > "$work/secret"
	chmod 000 "$work/secret"
	refuse 2 'Permission denied' report "$work/secret"
fi

# A segment, cut short and changed.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > /dev/null
segment=$(ls "$work"/segments/*.seg)
expect 0 report
says custom_block "$work/stdout"
quiet "$work/stderr"
for size in 8 100 4096; do
	head -c "$size" "$segment" > "$work/short.seg"
	refuse 2 "$work/short.seg: " report "$work/short.seg"
done
{
	head -c 8 "$segment"
	printf '\377\377'
	tail -c +11 "$segment"
} > "$work/version.seg"
refuse 2 'version' report "$work/version.seg"

# What it can show, and what not.
refuse 1 "no function is named 'missing'" report --calls missing
expect 0 report --calls custom_block
says Returned "$work/stdout"
expect 0 report --calls custom_block --format json
says '"type":"hotpath_calls"' "$work/stdout"
expect 0 report --focus missing
says "No function matches 'missing'" "$work/stdout"
for part in calls callers callees lines; do
	refuse 2 "report: --$part is no page" report --format html "--$part=custom_block"
done
refuse 2 '--each: a page shows one report' report --format html --each
refuse 2 '--each: a page shows one report' "$HOTPATH" run --format html --each true
refuse 2 'html is for a whole report' "$HOTPATH" top --format html
expect 0 report --format html
says '<!DOCTYPE html>' "$work/stdout"
says '"type":"hotpath_report"' "$work/stdout"
quiet "$work/stderr"

# Where it cannot go.
refuse 2 'No space left on device' sh -c "exec '$HOTPATH' report > /dev/full"
refuse 2 'No space left on device' report --output-path /dev/full
refuse 2 'No space left on device' report --save /dev/full
refuse 2 'Bad file descriptor' sh -c "exec '$HOTPATH' report >&-"
refuse 2 'No such file' report --save "$work/missing/report.json"
[ -c /dev/full ] || fail '/dev/full was replaced'
"$HOTPATH" report --format json-pretty 2> "$work/stderr" | head -c 1 > /dev/null
quiet "$work/stderr"

exit "$failed"
