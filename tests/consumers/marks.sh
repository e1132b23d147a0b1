#!/bin/sh
# SPDX-License-Identifier: MIT
# What has changed in a program since a mark, on the page of hotpath serve in a browser.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium
needs_module axe-core playwright-core
mkdir -p "$BUILD/consumers"

# The program ends with its standard input.
mkfifo "$work/commands"
HOTPATH_OUTPUT_FORMAT=none "$BUILD/tests/programs/steady" < "$work/commands" > "$work/stdout" &
program=$!
on_exit='kill $server $program 2> /dev/null'
exec 3> "$work/commands"
while ! "$HOTPATH" report "$program" > "$work/report" 2>&1; do kill -0 "$program" || exit 1; sleep 0.05; done
"$HOTPATH" serve --port 0 "$program" > "$work/line" &
server=$!
while ! [ -s "$work/line" ]; do kill -0 "$server" || exit 1; sleep 0.05; done
"$node" "$(dirname "$0")/marks.mjs" "$(sed 's/^serving on //' "$work/line")" "$work/commands" "$BUILD/consumers/marks.png" || failed=1

exit "$failed"
