#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions on the stacks of coroutines, and deep down on any other stack, are counted.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level" functions_coroutine.c
		for way in turns wide; do
			traced "$way"
			agrees
			tree_agrees
			all_closed
			nothing_lost
		done
		traced turns
		holds '$row | .worker.total_ns >= .step.total_ns'

		# Where one stack ends cannot be known when it is in one piece with the other: the calls can.
		traced local
		agrees
		all_closed

		# More are open at once than can be kept apart: those count, and as abandoned.
		for way in deep deep-signal; do
			traced "$way"
			agrees
			all_closed
			bounded 1
			holds '.dropped | del(.abandoned) | all(. == 0)'
		done

		# What was left on another stack may be open until its place is needed.
		traced jump
		accounted
	done
done
HOTPATH_CLOCK=monotonic traced turns
agrees
all_closed

exit "$failed"
