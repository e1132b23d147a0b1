#!/bin/sh
# SPDX-License-Identifier: MIT
# Every way to allocate is seen once, as asked for; what fails is not, and fails as it would without us.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level -fno-builtin" alloc_family.c
		for mode in live freed count; do
			allocating "$mode"
			allocates
		done
	done
done

build gcc -O1 alloc_first.c
for first in malloc calloc realloc reallocarray posix_memalign aligned_alloc memalign valloc strndup; do
	for mode in live freed count; do
		allocating "$mode" "$first"
		allocates
	done
done

exit "$failed"
