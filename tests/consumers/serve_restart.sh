#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of hotpath serve, in a browser, while its program and the server end and are started again.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs chromium
needs_module playwright-core

"$node" "$(dirname "$0")/serve_restart.mjs" "$HOTPATH" "$BUILD/tests/programs/watched" "$work/token" || failed=1

exit "$failed"
