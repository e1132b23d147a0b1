#!/bin/sh
# SPDX-License-Identifier: MIT
# Without descriptors, a root or the file of a library, functions are counted all the same.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

build gcc '-O1 -shared -fPIC -DNAME=alpha' functions_library.c
mv "$program" "$work/library"
build gcc -O1 functions_without.c
mkdir "$work/empty"

# without WHAT: run it.
without()
{
	cp "$work/library" "$work/alpha.so"
	by_tool "$program" "$1" "$work/empty" "$work/alpha.so"
	what="functions_without $1"
}

# The library's, which it does not tell of.
library='"alpha_constructor": 1, "alpha_work": 100, "alpha_shared": 100, "helper": 100'

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock
	for case in nothing descriptors; do
		without "$case"
		has "{$library, \"main\": 1, \"before\": $(calls before), \"after\": $(calls after)}"
		all_closed
		nothing_lost
		holds '.notes == []'
	done
done
unset HOTPATH_CLOCK

# The library is known by its constructor: its new functions are found, and have addresses for names.
without library
holds "[\$row | map_values(.calls) | to_entries[] | select(.key | startswith(\"alpha.so+0x\")).value] | sort ==
	[1, 100, 100, 100]"
holds "\$row | .after.calls == $(calls after) and .main.calls == 1"
holds '.notes | length == 1 and (.[0] | test("alpha.so no longer exists"))'

if [ "$(id -u)" = 0 ]; then
	without root
	has "{$library, \"main\": 1, \"before\": $(calls before), \"after\": $(calls after)}"
	nothing_lost

	# Nothing of the library was known when the list of mappings was still to be had.
	build gcc '-O1 -shared -fPIC -DNAME=alpha -DQUIET' functions_library.c
	mv "$program" "$work/library"
	program=$work/functions_without
	without root
	holds '[$row | map_values(.calls) | to_entries[] | select(.key | startswith("?+0x")).value] == [100, 100, 100]'
	holds "\$row | .after.calls == $(calls after) and .main.calls == 1"
	holds '.notes | length == 1'
	nothing_lost
fi

exit "$failed"
