#!/bin/sh
# SPDX-License-Identifier: MIT
# Signal handlers allocate, whatever they interrupt; nothing hangs, and what is lost is counted.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"
linked="-L$BUILD/src/library -Wl,-rpath,$BUILD/src/library"

for compiler in $compilers; do
	build "$compiler" "-O2 -fno-builtin -DHOTPATH_ENABLE=1 $linked" alloc_signal.c -lhotpath
	for mode in live freed count; do
		for who in malloc pool; do
			allocating "$mode" "$who"
			allocates
		done
		# A handler that interrupts the recorder at the same list of blocks cannot wait for itself.
		allocating "$mode" both
		lost=$(jq .dropped.lost_blocks "$work/report")
		holds "[.functions_alloc.data[] | select(.name == \"handle\") | .count - (.freed_count // .count)] |
			.[0] * 2 == $lost"
		echo "{\"dropped\": \"lost_blocks\", \"count\": $lost}" >> "$work/truth"
		allocates
	done
done

exit "$failed"
