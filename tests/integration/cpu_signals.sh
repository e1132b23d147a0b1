#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that use signals themselves do not notice that they are sampled; and are sampled.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
program=$BUILD/tests/programs/signal_user

for use in sigprof sigurg sigurg-first ignore signalfd sigwait named blocked sleeps; do
	"$program" "$use" > "$work/expected"
	for source in $sources; do
		sampled "$source" "$program" "$use"
		cmp "$work/expected" "$work/stdout" || fail "$use: $(cat "$work/stdout")"
		holds '.functions_cpu.looks > 10'
	done
done

# A stack for signals may have no room for a look, or not even for the registers of this processor.
expect 0 "$HOTPATH" run --cpu --format none -- "$program" small-stack
same 'spilled 0' "$work/stdout"

# There is no signal left: the program has them, and the report says so.
"$program" both > "$work/expected"
expect 0 "$HOTPATH" run --cpu --format json -o "$work/report" -- "$program" both
cmp "$work/expected" "$work/stdout" || fail "both: $(cat "$work/stdout")"
quiet "$work/stderr"
holds '.missing.functions_cpu == "No CPU time was sampled: the program itself uses the signals that sampling needs"'

# Copies of the recorder in namespaces of their own leave the signal to the first, which samples all; each measures.
plugin=$BUILD/tests/programs/plugin.so
if [ -x "$BUILD/tests/programs/namespaces" ]; then
	expect 0 "$HOTPATH" run --each --cpu --format json -o "$work/reports" -- "$BUILD/tests/programs/namespaces" "$plugin"
	quiet "$work/stderr"
	jq -cs 'map([.functions_timing.data[] | select(.name == "plugin_work").calls][0] // 0)' "$work/reports" \
		> "$work/calls"
	same '[0,70,70,70]' "$work/calls"
	jq -cs 'map((.functions_cpu.looks // 0) > 10)' "$work/reports" > "$work/looks"
	same '[true,false,false,false]' "$work/looks"
	jq -s '.[1:][] | .missing.functions_cpu' "$work/reports" | sort -u > "$work/missing"
	same '"No CPU time was sampled: another copy of libhotpath in the process samples instead"' "$work/missing"
fi

exit "$failed"
