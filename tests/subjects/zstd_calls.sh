#!/bin/sh
# SPDX-License-Identifier: MIT
# In zstd, calls per function are those that callgrind counts.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
command -v valgrind > /dev/null || skip 'valgrind is not installed'

# It insists on inlining, unless told so, and would choose instructions that valgrind may not know.
repeatable='-DZSTD_NO_INLINE -DXXH_NO_INLINE_HINTS=1 -DDYNAMIC_BMI2=0'
unpack libzstd zstd
build make -C "$work/zstd/programs" -j 2 zstd CC="$hotpath_cc" CFLAGS="-O3 $repeatable" \
	ZSTD_LEGACY_SUPPORT=0

awk 'BEGIN {
	for (i = x = 1; i <= 8000; i++) {
		x = x * 16807 % 2147483647
		print i, x, x % 5 ? "the quick brown fox" : "jumps over the lazy dog"
	}
}' > "$work/file"
head -c 20000 "$work/file" > "$work/short"

# One thread: how work is shared out among several is not the same in every run.
zstd() { same_calls "$work/zstd/programs/zstd" --single-thread -q -c "$@"; }
zstd -3 "$work/file"
cp "$work/expected" "$work/file.zst"
zstd -d "$work/file.zst"
zstd -19 "$work/short"

exit "$failed"
