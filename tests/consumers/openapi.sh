#!/bin/sh
# SPDX-License-Identifier: MIT
# The description of the server's interface is valid, and the server answers as it says.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs curl
needs_module @seriousme/openapi-schema-validator ajv
description=$(dirname "$0")/../../docs/api/openapi.json

HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > "$work/stdout"
start_server --no-token
program=$(curl -s "${address}api/programs" | tee "$work/programs" | jq -r '.programs[0].id')
curl -s "${address}api/report?program=$program" > "$work/report"
curl -s "${address}api/flame?program=$program&what=tree" > "$work/flame"
curl -s "${address}api/report?program=none" > "$work/error"
{ curl -s -m 5 -N "${address}api/stream?program=$program" || :; } |
	sed -n '/^event: report/,/^data/s/^data: //p' | head -n 1 > "$work/streamed"
"$node" "$(dirname "$0")/openapi.mjs" "$description" "$modules" Programs "$work/programs" Report "$work/report" Flame "$work/flame" \
	Error "$work/error" StreamedReport "$work/streamed" || failed=1

exit "$failed"
