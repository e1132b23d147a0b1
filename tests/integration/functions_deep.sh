#!/bin/sh
# SPDX-License-Identifier: MIT
# A million calls of a function inside each other are counted, and their time once.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# Its tree is deeper than some readers of JSON allow.
export HOTPATH_REPORT=auto

check()
{
	agrees
	all_closed
	bounded 2
	nothing_lost
	[ "$(calls recurse) $(calls add_up) $(calls even) $(calls third)" = '1000012 1000001 500001 333334' ] ||
		fail "$what: $(cat "$work/truth")"
	holds "\$row.dive.total_ns <= $(fact elapsed)"
	holds '$row | .dive.total_ns >= .recurse.total_ns + .add_up.total_ns + .even.total_ns + .first.total_ns'
	holds '$row | .even.total_ns >= .odd.total_ns'
	holds '$row | .first.total_ns >= .second.total_ns and .second.total_ns >= .third.total_ns'
}

for compiler in $compilers; do
	build "$compiler" -O2 functions_deep.c
	traced thread
	check
	program=$work/large_stack
	printf '#!/bin/sh\nulimit -s 1000000 2> /dev/null || ulimit -s unlimited\nexec "%s" main\n' \
		"$work/functions_deep" > "$program"
	chmod +x "$program"
	traced
	check
done
build gcc -O0 functions_deep.c
HOTPATH_CLOCK=monotonic traced thread
check

exit "$failed"
