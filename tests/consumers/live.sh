#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of a server, in a browser: a program that runs, ends and is started again, and the updates of a day in fast motion.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium python3
needs_module playwright-core
mkdir -p "$BUILD/consumers" "$work/files"
here=$(dirname "$0")

"$BUILD/tests/programs/page_files" "$work/files" || fail "no files of the page"

# The server ends with its standard input.
mkfifo "$work/hold" "$work/port"
"$here/live_server.py" "$work/files" "$BUILD/src/demo/hotpath-demo" < "$work/hold" > "$work/port" 2> "$work/stderr" &
server=$!
exec 3> "$work/hold"
read -r port < "$work/port" || fail "the server does not start: $(cat "$work/stderr")"

"$node" "$here/live.mjs" "http://127.0.0.1:$port/" "$BUILD/consumers/live.png" || failed=1
"$node" "$here/live_day.mjs" "http://127.0.0.1:$port/" || failed=1

exec 3>&-
wait "$server" || true
exit "$failed"
