#!/bin/sh
# SPDX-License-Identifier: MIT
# Main loops: turns and callbacks are those that the program counted itself, however it runs them.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/glib_common.sh"

# runs MODE NAME: one loop, of this name; its slowest callback is the one that sleeps.
runs()
{
	measure glib_loops "$1"
	equals "[\"$2\"]" '[.loops.data[].name]'
	equals "$(own callbacks)" '.loops.data[0].callback_count'
	equals '"timeout slow_callback"' '.loops.data[0].slowest_callback'
	holds '.loops.data[0] | .slowest_callback_ns >= 30000000 and .callback_ns >= .slowest_callback_ns and
		.busy_sum_ns >= .callback_ns * 0.99 and .idle_ns > 0'
	[ "$(own turns)" = 0 ] || equals "$(own turns)" '.loops.data[0].busy_sampled_count'
}

runs run 'GMainContext run'
runs steps steps
runs own own
runs hand 'GMainContext turn_by_hand'
runs nested 'GMainContext nested'
runs thread worker

exit "$failed"
