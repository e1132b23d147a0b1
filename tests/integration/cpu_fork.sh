#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process has its own CPU time in its own report, however it came into being, and none is harmed.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"

# Beside other programs a process may be looked at late for the last time.
check_each() { each_has "${way#*:}"; }

for source in $sources; do
	for way in prefork:4 thread:3 exec:2 vfork:2 spawn:2; do
		what="$source $way"
		undisturbed check_each sampled "$source" "$BUILD/tests/programs/fork_compute" "${way%:*}"
	done
done

exit "$failed"
