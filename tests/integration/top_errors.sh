#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath top says in one line why there is nothing to look at, and ends with the right status.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

top() { "$HOTPATH" top "$@"; }

refuse 1 'no measured program is running' top
HOTPATH_DIR=$work/missing refuse 1 'no measured program is running' top --once
for bad in 49 60001 -1 0 1.5 x '' 99999999999999999999; do
	refuse 2 "--refresh-ms: '$bad' is not a number from 50 to 60000" top "--refresh-ms=$bad"
done
refuse 2 "'--once' takes no value" top --once=1
refuse 2 "unexpected argument 'two'" top one two
refuse 2 "'x' is not a number" top --limit x

# Nothing that is measured.
refuse 2 "no measured program 'nothing' is running" top nothing
refuse 2 "no measured program '/etc/passwd' is running" top /etc/passwd
refuse 2 "process $$ is not being measured" top "$$"
refuse 2 'process 999999999 does not exist' top 999999999

# What has ended: by its process there is a report, by its segment the last picture.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > /dev/null &
ended=$!
wait "$ended"
segment=$(ls "$work"/segments/*.seg)
refuse 1 'no measured program is running' top
refuse 2 "process $ended has ended; 'hotpath report $ended'" top "$ended"
refuse 2 "no measured program 'basic' is running" top basic
expect 0 top "$segment"
quiet "$work/stderr"
says "[hotpath] basic (pid $ended) | Ended | " "$work/stdout"
[ "$(grep -c '^\[hotpath\]' "$work/stdout")" = 1 ] || fail "not one block: $(cat "$work/stdout")"
expect 0 top --json-lines "$segment"
[ "$(jq -r .state "$work/stdout")" = ended ] || fail "state: $(cat "$work/stdout")"
HOTPATH_OUTPUT_FORMAT=json expect 0 top "$segment"
[ "$(jq -r .state "$work/stdout")" = ended ] || fail "state: $(cat "$work/stdout")"

# A segment that cannot be read.
head -c 100 "$segment" > "$work/short.seg"
refuse 2 "$work/short.seg: " top "$work/short.seg"
{
	head -c 8 "$segment"
	printf '\377\377'
	tail -c +11 "$segment"
} > "$work/version.seg"
refuse 2 'version' top "$work/version.seg"
if [ "$(id -u)" != 0 ]; then
	chmod 000 "$segment"
	refuse 2 'Permission denied' top "$segment"
	chmod 600 "$segment"
fi

# Where it cannot go.
refuse 2 'No space left on device' sh -c "exec '$HOTPATH' top '$segment' > /dev/full"
refuse 2 'Bad file descriptor' sh -c "exec '$HOTPATH' top '$segment' >&-"
refuse 2 'No such file' top "$segment" -o "$work/missing/file"

exit "$failed"
