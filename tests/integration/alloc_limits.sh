#!/bin/sh
# SPDX-License-Identifier: MIT
# Without descriptors, memory, or room in the segment a program runs on, and what is missing is counted.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/own_mount.sh"
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

build gcc '-O2 -fno-builtin' alloc_limits.c
for mode in live freed count; do
	allocating "$mode" closes
	allocates
	allocating "$mode" exhausts
	# What could not be followed was not freed either, as far as is known.
	lost=$(jq '.dropped | .lost_blocks + .unknown_blocks' "$work/report")
	holds "[.functions_alloc.data[] | .count, -(.freed_count // .count)] | add | . == 2 or . <= $lost + 2"
	for counter in lost_blocks unknown_blocks; do
		jq -c "{dropped: \"$counter\", count: .dropped.$counter}" "$work/report" >> "$work/truth"
	done
	allocates
done

# refuse_report MODE: one line says why there is none.
refuse_report()
{
	what="hotpath run --alloc=$1"
	expect 0 "$HOTPATH" run "--alloc=$1" --format none -- "$program" many
	says '"alloc":"all"' "$work/stdout"
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "$what: not one line: $(cat "$work/stderr")"
	says 'it is full' "$work/stderr"
}

# in_folder SIZE COMMAND...: a folder of so much room.
in_folder()
{
	size=$1
	shift
	mount -t tmpfs -o "size=$size,mode=700" none "$HOTPATH_DIR"
	"$@"
	umount "$HOTPATH_DIR"
	what="$what, in a folder of $size"
}

# The total is right to the end, and what has no row of its own is in the one of whoever called it.
for mode in live freed count; do
	for size in 8m 256k 128k 96k; do
		in_folder "$size" allocating "$mode" many
		holds "[.functions_alloc | .total_bytes, .total_blocks] ==
			$(jq -c 'select(.alloc == "all") | [.bytes, .count]' "$work/truth")"
		holds '(.functions_alloc.data | map(.bytes) | add) == .functions_alloc.total_bytes or
			.dropped.allocations > 0'
		holds ".dropped.functions $([ "$size" = 8m ] && echo '==' || echo '>') 0"
	done
	# No room for a segment: the program runs, and that is all.
	for size in 32k 4k; do
		in_folder "$size" refuse_report "$mode"
	done
done

exit "$failed"
