#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of hotpath serve, of a program whose names mean harm: its own, and those of all that is measured.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium
needs_module playwright-core
mkdir -p "$BUILD/consumers" "$work/files"

program='<img src=x onerror=window.harmed=1>'
cp "$BUILD/tests/programs/hostile_names" "$work/$program"
# It runs in a folder where it may write; exec, so that the process id is that of 'hotpath run'.
(cd "$work/files" && exec "$HOTPATH" run --all --format none "$work/$program") &
run=$!
start_server --all
on_exit='kill $server $run 2> /dev/null'
while ! "$HOTPATH" list 2> /dev/null | grep -q running; do kill -0 "$run" || exit 1; sleep 0.05; done
"$node" "$(dirname "$0")/page_hostile.mjs" "$address" "$BUILD/consumers/serve-hostile.png" || failed=1

exit "$failed"
