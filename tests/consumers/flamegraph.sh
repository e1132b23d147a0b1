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

# shows FILE NAME...: a graph has frames of these names.
shows()
{
	picture=$1
	shift
	"$node" "$(dirname "$0")/flamegraph_shows.mjs" "$work/$picture.svg" "$BUILD/consumers/$picture.png" "$@" || failed=1
}

export_made flamegraph "$work/made.svg"
"$node" "$(dirname "$0")/flamegraph.mjs" "$work/made.svg" "$BUILD/consumers/flamegraph.png" || failed=1

# Stacks of allocations, of blocks that were not freed, and measured time.
for what in alloc live time; do
	export_made flamegraph "$work/$what.svg" "$what"
done
shows alloc main render parse.constprop.0
shows live main parse.constprop.0
shows time parse 'read line' '<other>'

# A program that was really run looks as well.
record
"$HOTPATH" export -o "$work/samples.svg"
shows samples parse 'read line' render spin worker

# Stacks of waits.
record_waits
"$HOTPATH" export --what waits -o "$work/waits.svg"
shows waits nap by_lock 'lock gate'

exit "$failed"
