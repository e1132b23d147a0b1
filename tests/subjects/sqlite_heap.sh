#!/bin/sh
# SPDX-License-Identifier: MIT
# What sqlite's speed test allocates is what valgrind and heaptrack count.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
. "$(dirname "$0")/../integration/alloc_common.sh"
. "$(dirname "$0")/../oracle/heap_common.sh"
command -v tclsh > /dev/null || skip 'tclsh is not installed'

unpack sqlite3 sqlite
mkdir "$work/plain"
cd "$work/plain"
# It would ask how large its blocks really are, and fill them.
build ../sqlite/configure CC=gcc CFLAGS=-O0 ac_cv_func_malloc_usable_size=no
build make speedtest1

same_heap "$work/plain/speedtest1" --size 3 --verify

exit "$failed"
