#!/bin/sh
# SPDX-License-Identifier: MIT
# A flame graph in a browser, without a network: zoom, search, and what is said of a frame.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium
needs_module playwright-core
mkdir -p "$BUILD/consumers"
export_made flamegraph "$work/made.svg"
"$node" "$(dirname "$0")/flamegraph.mjs" "$work/made.svg" "$BUILD/consumers/flamegraph.png" || failed=1

# A program that was really run looks as well.
record
"$HOTPATH" export -o "$work/samples.svg"
"$node" "$(dirname "$0")/flamegraph_shows.mjs" "$work/samples.svg" "$BUILD/consumers/samples.png" parse \
	'read line' render spin worker || failed=1

# What a program waited for.
record_waits
"$HOTPATH" export --what waits -o "$work/waits.svg"
"$node" "$(dirname "$0")/flamegraph_shows.mjs" "$work/waits.svg" "$BUILD/consumers/waits.png" nap by_lock 'lock gate' || failed=1

exit "$failed"
