#!/bin/sh
# SPDX-License-Identifier: MIT
# In lua, calls per function are those that callgrind counts: with errors, which leave by longjmp.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
command -v valgrind > /dev/null || skip 'valgrind is not installed'

# Its hash of strings begins at a random number, and it caches strings by their address: both would
# make runs differ.
repeatable="'-Dluai_makeseed(L)=1' -DSTRCACHE_N=1 -DSTRCACHE_M=2"
unpack lua5.4 sleds hooks

# Optimised, as it is shipped.
build make -C "$work/sleds" -j 2 linux ALL=lua CC="$hotpath_cc" MYCFLAGS="$repeatable"
endless='lexerror luaD_throw luaG_errormsg luaG_runerror luaG_typeerror luaX_syntaxerror lua_error typeerror'
same_calls "$work/sleds/src/lua" "$here/script.lua"

endless=
build make -C "$work/hooks" -j 2 linux ALL=lua CC="$HOTPATH cc --hooks gcc" MYCFLAGS="$nothing_inlined $repeatable"
same_calls "$work/hooks/src/lua" "$here/script.lua"

exit "$failed"
