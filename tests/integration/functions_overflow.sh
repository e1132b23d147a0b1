#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that survives the end of its stack is measured to there, and after it.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# The stack may end between a function's beginning and its own count, once in each round.
rounds=60
for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level" functions_overflow.c
		traced "$rounds"
		holds "\$row | .after.calls == $(calls after) and .noticed.calls == $rounds and
			.one_round.calls == $rounds and .main.calls == 1"
		holds "\$row.endless | .calls - $(calls endless) | . >= 0 and . <= $rounds"
		holds '$row | del(.handler) | all(.open == 0)'
		# What was left on another stack is found when that stack is used again, so the last is not. Where the stack
		# ended inside the recorder, the handler was recorded by the thread's second state, which has a last of its own.
		# With sleds it is not seen.
		holds "\$row.handler | . == null or (.open <= 2 and .calls + .open == $rounds)"
		holds '.dropped.abandoned == $row.endless.calls + ($row.handler.calls // 0)'
		holds '.dropped | del(.abandoned) | all(. == 0)'
		bounded 1
	done
done

exit "$failed"
