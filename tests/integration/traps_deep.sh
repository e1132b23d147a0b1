#!/bin/sh
# SPDX-License-Identifier: MIT
# A million calls inside each other are counted; the time is that of the outermost.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

check()
{
	agrees
	bounded 1
	adds_up 1
	nothing_lost
	[ "$(calls recurse) $(calls even) $(calls odd)" = '1000012 500001 500000' ] ||
		fail "$what: $(cat "$work/truth")"
	holds '$row | all(.open == 0)'
	# The other's outermost call is inside.
	holds '$row | .even.total_ns >= .odd.total_ns'
	holds '$row.even | .total_ns <= .max_ns * 1.01'
}

for clock in counter monotonic; do
	HOTPATH_CLOCK=$clock by_itself "$programs/deep" thread
	check
done
by_itself sh -c "ulimit -s 1000000 2> /dev/null || ulimit -s unlimited && exec '$programs/deep' main"
check

# Deeper than anything is kept of: those calls are missing, and the report says how many.
by_itself "$programs/deep" thread 2200000
bounded 1
adds_up 1
holds "([\$row[] | select(.caller != true).calls] | add) + .dropped.depth ==
	$(calls recurse) + $(calls even) + $(calls odd)"
holds '.dropped.depth > 0 and .dropped.abandoned == 0'

exit "$failed"
