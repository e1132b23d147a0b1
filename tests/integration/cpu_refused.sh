#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the kernel refuses events, timers sample; where it refuses both, the report or one line says so. The program runs.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
programs=$BUILD/tests/programs
"$programs/refuse_calls" both true || exit 77

# ran PROCESSES: so many of them came to their end.
ran() { [ "$(wc -l < "$work/stdout")" = "$1" ] || fail "not $1 processes: $(cat "$work/stdout")"; }

sampled perf "$programs/refuse_calls" events "$programs/fork_compute" prefork
ran 4
# What forbids events may have a sample by them, before it executes the program.
own='select(.program == "fork_compute").functions_cpu'
used=$(jq -r "$own.source" "$work/report" | sort -u)
[ "$used" = timer ] || fail "the source is $used"
holds "$own.total_samples > 150"

# The report says so, and the program is silent. What forbids the calls, and executes the program, is too short for such a rate.
expect 0 "$HOTPATH" run --rate 1 --format json -o "$work/report" -- \
	"$programs/refuse_calls" both "$programs/fork_compute" prefork
ran 4
quiet "$work/stderr"
holds '.missing.functions_cpu | . == "No CPU time was sampled: the kernel refused both perf events and CPU timers"'

# A program that measures says so as well, and has the rest of its report.
expect 0 env HOTPATH_CPU=1 HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" \
	"$programs/refuse_calls" both "$programs/threads_compute" late
same 'hotpath: no CPU sampling: the kernel refuses events and timers' "$work/stderr"
holds '.functions_timing.data[0].name == "main"'

exit "$failed"
