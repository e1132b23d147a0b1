#!/bin/sh
# SPDX-License-Identifier: MIT
# Servers that nobody here wrote, with everything observed that they wait for. To be sourced.
# shellcheck disable=SC1091,SC2034,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
[ -e "$BUILD/src/probes/waits/libhotpath-waits.so" ] || skip 'the probe is not built'

# observed COMMAND...: with a report of all its processes.
observed()
{
	"$HOTPATH" run --no-cpu --waits --format json --limit 0 -o "$work/report" -- "$@"
}

# await COMMAND...: until it succeeds.
await()
{
	for _ in $(seq 600); do
		"$@" > "$work/log" 2>&1 && return
		sleep 0.1
	done
	echo "FAILED: waited in vain for '$*': $(cat "$work/log")"
	exit 1
}

# seen CONDITION: in the report, and nothing was lost.
seen()
{
	jq -e "$1" "$work/report" > "$work/log" || fail "the report has no $1: $(cat "$work/log")"
	jq -e '.dropped | (.locks // 0) == 0' "$work/report" > "$work/log" ||
		fail "uses of locks are lost: $(cat "$work/log")"
}
