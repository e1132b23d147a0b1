#!/bin/sh
# SPDX-License-Identifier: MIT
# The conformance suite of the Model Context Protocol, in both eras, finds nothing wrong with hotpath serve. What it cannot try here is
# listed in a file: an entry that is not needed any more is a mistake, too.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs_module @modelcontextprotocol/conformance
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > "$work/stdout"
excused=$(dirname "$0")/mcp_conformance.yml
# The suite sends no token.
start_server --no-token

for revision in 2025-11-25 2026-07-28; do
	timeout 120 "$node" "$modules/@modelcontextprotocol/conformance/dist/index.js" server --url "${address}mcp" \
		--requirements "$revision" --expected-failures "$excused" > "$work/$revision" 2>&1 ||
		fail "$revision: $(sed -n '/=== SUMMARY/,$p' "$work/$revision")"
	says '✓ tools-list: ' "$work/$revision"
	says '✓ dns-rebinding-protection: 2 passed' "$work/$revision"
done
# A revision does not require this one.
says '✓ http-header-validation: 14 passed' "$work/2026-07-28"

# The suite itself does not mind an entry for what it does not try.
sed -n 's/^  - \([^ ]*\) #.*/\1/p' "$excused" > "$work/entries"
while read -r entry; do
	grep -qxF "  ~ $entry" "$work"/20* || fail "$excused: $entry is not needed"
done < "$work/entries"
[ -s "$work/entries" ] || fail "$excused has no entries"

exit "$failed"
