#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of hotpath serve in a browser, by the link that it prints: a program, and a run of two.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium
needs_module playwright-core
mkdir -p "$BUILD/consumers"

HOTPATH_OUTPUT_FORMAT=none HOTPATH_ALLOC=live HOTPATH_CPU=1 HOTPATH_WAITS=all "$BUILD/src/demo/hotpath-demo" &
demo=$!
on_exit='kill $server $demo 2> /dev/null'
while ! "$HOTPATH" report "$demo" > "$work/report" 2>&1; do kill -0 "$demo" || exit 1; sleep 0.05; done
"$HOTPATH" serve --port 0 "$demo" > "$work/line" &
server=$!
while ! [ -s "$work/line" ]; do kill -0 "$server" || exit 1; sleep 0.05; done
"$node" "$(dirname "$0")/serve.mjs" "$(sed 's/^serving on //' "$work/line")" "$demo" "$BUILD/consumers/serve.png" || failed=1

# The shell of the run waits for both programs; only one of them ends.
# shellcheck disable=SC2016
HOTPATH_OUTPUT_FORMAT=none "$HOTPATH" run --no-cpu sh -c '"$0" & "$0" & wait' "$BUILD/src/demo/hotpath-demo" &
run=$!
on_exit='kill $server $demo 2> /dev/null; kill $(jq ".[] | select(.live).pid" "$work/list") 2> /dev/null; wait $run'
demos() { "$HOTPATH" list --json > "$work/list" && [ "$(jq '[.[] | select(.live)] | length' "$work/list")" = 2 ]; }
while ! demos; do kill -0 "$run" || exit 1; sleep 0.05; done
"$HOTPATH" serve --port 0 > "$work/line.run" &
server="$server $!"
while ! [ -s "$work/line.run" ]; do sleep 0.05; done
"$node" "$(dirname "$0")/serve_run.mjs" "$(sed 's/^serving on //' "$work/line.run")" "$BUILD/consumers/serve_run.png" || failed=1

exit "$failed"
