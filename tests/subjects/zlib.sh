#!/bin/sh
# SPDX-License-Identifier: MIT
# zlib is built with nothing but CC changed, and passes its tests.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"

unpack zlib zlib
cd "$work/zlib"
build env CC="$hotpath_cc" ./configure
build make -j 2
build make test
says '*** zlib test OK ***' "$work/log"
says '*** zlib shared test OK ***' "$work/log"

# Its tests are over too soon: so the program that they run has more to do.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat ./*.c; done > "$work/large"
toggled "$work/zlib" sh -c './minigzip < "$0" > "$1" && ./minigzip -d < "$1" | cmp - "$0"' "$work/large" "$work/packed"

measure ./minigzip < zlib.3 > "$work/packed"
reported main deflate deflate_slow longest_match crc32
gzip -dc "$work/packed" | cmp - zlib.3 || fail 'other output'

# The same functions, in a shared library.
measure env LD_LIBRARY_PATH=. ./minigzipsh -d < "$work/packed" > "$work/unpacked"
reported main inflate inflate_table
cmp "$work/unpacked" zlib.3 || fail 'other output from the shared library'

exit "$failed"
