#!/bin/sh
# SPDX-License-Identifier: MIT
# The stacks from which lua allocates are those of heaptrack, with as many bytes.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
. "$(dirname "$0")/../oracle/stacks_common.sh"

unpack lua5.4 lua
build make -C "$work/lua" -j 2 linux ALL=lua CC=gcc MYCFLAGS='-g -fomit-frame-pointer'
same_stacks "$work/lua/src/lua" "$here/script.lua"

exit "$failed"
