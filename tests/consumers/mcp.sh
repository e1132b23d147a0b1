#!/bin/sh
# SPDX-License-Identifier: MIT
# The public clients of the Model Context Protocol, of both eras, understand hotpath mcp and
# hotpath serve, and find the same as the report.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs_module @modelcontextprotocol/sdk @modelcontextprotocol/client
"$HOTPATH" run --all --format none "$BUILD/tests/programs/hot_stacks" > "$work/stdout" 2> "$work/stderr" ||
	fail "it does not run: $(cat "$work/stderr")"

busiest=$("$HOTPATH" report --format json --report cpu --cpu-limit 1 | sed 's/.*"data":\[{"name":"\([^"]*\)".*/\1/')

# ask ERA WHOM...: by standard input and output, or over HTTP.
ask()
{
	era=$1
	shift
	timeout 60 "$node" "$(dirname "$0")/mcp.mjs" "$era" "$@" > "$work/$era" 2>&1 || fail "$era $1: $(cat "$work/$era")"
	[ "$era" = legacy ] || says 'revision 2026-07-28' "$work/$era"
	sed -i /^revision/d "$work/$era"
	same "server hotpath
tools overview top function callers callees lines locks waits io channels threads processes compare recent_calls
program hot_stacks
busiest $busiest
function $busiest
wrong true no function is named 'mian'; did you mean 'main'?
unknown -32602" "$work/$era"
}

start_server --all
for era in legacy modern auto; do
	ask "$era" "$HOTPATH"
	ask "$era" "${address%%\?*}mcp" "${address##*token=}"
done

exit "$failed"
