#!/bin/sh
# SPDX-License-Identifier: MIT
# What is measured before main and after it, and by threads that are ending, is counted.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	for program in afterlife 'afterlife many-keys' afterlife_cpp; do
		[ -x "$programs/${program% *}" ] || continue
		# shellcheck disable=SC2086
		by_tool "$programs/"$program
		agrees
		nothing_lost
		holds '$row | all(.open == 0)'
		holds '.exit.clean and .exit.status == 0'
	done
done

exit "$failed"
