#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries have their own functions, even where another lay before, and names after they are gone.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# library NAME [OPTIONS]: $work/NAME.so, with the functions NAME_work, NAME_shared and helper.
library()
{
	build "$compiler" "-O1 -shared -fPIC -DNAME=$1 ${2-}" functions_library.c
	mv "$program" "$work/$1.so"
}

# helpers: the static function of each library, which all have one name.
helpers() { jq -Sc '[.functions_timing.data[] | select(.name == "helper")
	| {(.module | sub(".*/"; "")): .calls}] | add' "$work/report"; }

for compiler in $compilers; do
	for name in alpha bravo charlie delta; do
		library "$name"
	done
	libraries="$work/alpha.so $work/bravo.so $work/charlie.so $work/delta.so"
	build "$compiler" -O2 functions_libraries.c

	# One thread, for which each library comes to lie where the one before it was.
	# shellcheck disable=SC2086
	traced 1 200 $libraries
	[ "$(fact same_place)" -gt 100 ] || fail "$what: only $(fact same_place) at the same place"
	expected="{\"alpha.so\":1000,\"bravo.so\":1000,\"charlie.so\":1000,\"delta.so\":1000}"
	[ "$(helpers)" = "$expected" ] || fail "$what: helper: $(helpers)"
	printf 'helper 1000\n' >> "$work/truth"
	agrees
	all_closed
	nothing_lost

	# Two threads, of which one may close what is in the other's way.
	# shellcheck disable=SC2086
	traced 2 1000 $libraries
	expected="{\"alpha.so\":5000,\"bravo.so\":5000,\"charlie.so\":5000,\"delta.so\":5000}"
	[ "$(helpers)" = "$expected" ] || fail "$what: helper: $(helpers)"
	printf 'helper 5000\n' >> "$work/truth"
	agrees
	all_closed
	nothing_lost
done

exit "$failed"
