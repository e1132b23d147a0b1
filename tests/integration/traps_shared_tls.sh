#!/bin/sh
# SPDX-License-Identifier: MIT
# Tasks that share the thread-local variables of their maker are measured at the same time, and every call is counted.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for where in heap local thread turns; do
	by_itself "$programs/shared_tls" "$where"
	agrees
	nothing_lost
	holds '$row | all(.open == 0)'
	# Each call of the one is inside one of the other.
	holds '$row | .outer.total_ns >= .inner.total_ns and .outer.self_ns < .outer.total_ns'
done
# Its maker is sampled, and its stack is not mistaken for another's.
HOTPATH_CPU=1 HOTPATH_CPU_RATE=10000 by_itself "$programs/shared_tls" heap
agrees
holds '.functions_cpu.total_samples > 0'

exit "$failed"
