#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process has its own CPU time in its own report, however it came into being, and none is harmed.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"

for source in $sources; do
	for way in prefork:4 thread:3 exec:2 vfork:2 spawn:2; do
		what="$source $way"
		# Beside other programs a process may be looked at late for the last time: one run may be disturbed, three are not.
		for try in 1 2 3; do
			before=$failed
			sampled "$source" "$BUILD/tests/programs/fork_compute" "${way%:*}"
			each_has "${way#*:}"
			if [ "$failed" = "$before" ] || [ "$try" = 3 ]; then break; fi
			failed=$before
		done
	done
done

exit "$failed"
