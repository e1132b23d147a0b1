#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads allocate and free at random, and what is left is what they know of, to the byte.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

build gcc '-O2 -fno-builtin' alloc_stress.c
for seed in 1 2 3; do
	allocating live 8 100000 "$seed"
	allocates
done
allocating live 1 200000 4
allocates
for mode in freed count; do
	allocating "$mode" 8 100000 5
	allocates
done

exit "$failed"
