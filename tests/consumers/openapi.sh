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

# A program that runs, before and after a mark.
mkfifo "$work/commands"
HOTPATH_OUTPUT_FORMAT=none "$BUILD/tests/programs/steady" < "$work/commands" > "$work/stdout" &
steady=$!
on_exit="kill $server $steady 2> /dev/null"
exec 3> "$work/commands"
compared() { curl -s "${address}api/compare?program=$steady&window=1" > "$work/$1"; }
# windows SIDE: wait for enough of them.
windows()
{
	tries=0
	until compared marked && jq -e ".windows and .windows.$1 >= .windows.needed" "$work/marked" > "$work/enough" 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || { fail "no windows $1: $(cat "$work/marked")"; return; }
		sleep 0.2
	done
}
windows before
cp "$work/marked" "$work/unmarked"
curl -s -X POST "${address}api/mark?program=$steady" > "$work/mark"
windows after
"$node" "$(dirname "$0")/openapi.mjs" "$description" "$modules" Programs "$work/programs" Report "$work/report" Flame "$work/flame" \
	Error "$work/error" StreamedReport "$work/streamed" Marked "$work/unmarked" Marked "$work/mark" Marked "$work/marked" || failed=1

exit "$failed"
