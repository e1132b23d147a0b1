#!/bin/sh
# SPDX-License-Identifier: MIT
# What is opened where a library is just being closed is not taken for that.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for name in alpha bravo; do
	build gcc "-O1 -shared -fPIC -DNAME=$name" functions_library.c
	mv "$program" "$work/$name.so"
done
build gcc '-O1 -shared -fPIC -DCLOSE_SLOWLY' functions_closing.c
mv "$program" "$work/close_slowly.so"
build gcc '-O1 -rdynamic' functions_closing.c
LD_PRELOAD=$work/close_slowly.so traced "$work/alpha.so" "$work/bravo.so"
[ "$(fact same_place)" -gt 0 ] || fail "$what: never at the same place"
agrees
all_closed

exit "$failed"
