#!/bin/sh
# SPDX-License-Identifier: MIT
# zstd is built with nothing but CC changed, and packs and unpacks as before.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"

# The plain one, to compare with, is optimised less and knows no formats of old, to be built sooner.
unpack libzstd ours plain
build make -C "$work/ours/programs" -j 2 zstd CC="$hotpath_cc"
build make -C "$work/plain/programs" -j 2 zstd CC=gcc CFLAGS=-O1 ZSTD_LEGACY_SUPPORT=0
ours=$work/ours/programs/zstd
file=$work/sources
cat "$work"/ours/lib/*/*.c > "$file"

# packs FUNCTION OPTION...: as the plain one does, and back again. The function is seen at work.
packs()
{
	function=$1
	shift
	"$work/plain/programs/zstd" -q -c "$@" "$file" > "$work/expected"
	"$ours" -q -c "$@" "$file" > "$work/packed"
	cmp "$work/expected" "$work/packed" || fail "$*: other output"
	measure "$ours" -q -c "$@" "$file" > "$work/packed"
	cmp "$work/expected" "$work/packed" || fail "$*: other output when measured"
	reported main "$function"
	measure "$ours" -q -d -c "$work/packed" > "$work/unpacked"
	cmp "$file" "$work/unpacked" || fail "$*: not what was packed"
	reported main ZSTD_decompressBlock_internal
}
# Its own test, with random data of the same seed.
build make -C "$work/ours/tests" -j 2 fuzzer CC="$hotpath_cc"
toggled "$work/ours/tests" "$work/ours/tests/fuzzer" -s42 -i100 --no-big-tests > "$work/log"
packs ZSTD_compressBlock_doubleFast -3
packs ZSTDMT_compressionJob -6 -T2 -B512K

exit "$failed"
