#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program has mapped outside of malloc is told, and what the resident memory was is told by kind.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
here=$(cd "$(dirname "$0")" && pwd)
program=$work/mappings
gcc -O1 -pthread "$here/../programs/mappings.c" -o "$program"

# maps WAY: leaves $work/report.
maps()
{
	way=$*
	rm -f "$work/report"
	expect 0 "$HOTPATH" run --no-cpu --alloc --format json -o "$work/report" -- "$@"
}

# so FILTER: of what the report says of memory outside of malloc. near(n) is true of n MB and less than one more.
so()
{
	jq -e "def near(n): . >= n * 1048576 and . < (n + 1) * 1048576; .threads as \$threads |
		.functions_alloc.outside_malloc | $1" "$work/report" > "$work/jq" ||
		fail "$way: not true: $1: $(jq -c .functions_alloc.outside_malloc "$work/report")"
}

# adds_up: the kinds are the RSS, and that of the end if nothing was unmapped.
adds_up()
{
	so '.rss_bytes == ([.rss_heap_bytes, .rss_mapped_bytes, .rss_file_bytes, .rss_code_bytes, .rss_stack_bytes,
		.rss_own_bytes] | add)'
	# The kernel counts pages for each processor, and may be late by some dozens.
	so '.rss_bytes - $threads.peak_rss_bytes | fabs < 1048576'
}

maps "$program" reserved
so '.mapped_bytes == 40 * 1048576 and .mapped_peak_bytes == .mapped_bytes'
so '(.rss_mapped_bytes | near(8)) and .rss_heap_bytes < 1048576 and .rss_file_bytes == 0'
adds_up

maps "$program" gone
so '.mapped_bytes == 0 and .mapped_peak_bytes == 64 * 1048576 and (.rss_mapped_bytes | near(64))'
adds_up

maps "$program" parts
so '.mapped_bytes == 24 * 1048576 and .mapped_peak_bytes == 48 * 1048576 and (.rss_mapped_bytes | near(48))'
adds_up

maps "$program" moved
so '.mapped_bytes == 24 * 1048576 and .mapped_peak_bytes == 33 * 1048576 and (.rss_mapped_bytes | near(32))'
adds_up

maps "$program" file
so '.mapped_bytes == 0 and .mapped_peak_bytes == 0 and (.rss_file_bytes | near(20)) and .rss_mapped_bytes == 0'
adds_up

maps "$program" stacks
so '(.rss_stack_bytes | near(16)) and .rss_mapped_bytes == 0'
adds_up

maps "$program" variables
so '.rss_code_bytes >= 12 * 1048576 and .rss_heap_bytes < 1048576'
adds_up

maps "$program" blocks
so '(.rss_heap_bytes | near(32)) and .rss_mapped_bytes == 0 and .mapped_peak_bytes == 0'
adds_up

maps "$program" handled
so '.mapped_bytes == 8 * 1048576 and (.rss_mapped_bytes | near(8))'

# Another allocator calls mmap, but its memory is the heap.
allocator=$(find /usr/lib -name 'libjemalloc.so.2' | head -n 1)
if [ -n "$allocator" ]; then
	LD_PRELOAD=$allocator maps "$program" blocks
	so '.rss_heap_bytes > 32 * 1048576 and .rss_mapped_bytes == 0 and .mapped_peak_bytes == 0'
	LD_PRELOAD=$allocator maps "$program" reserved
	so '.mapped_bytes == 40 * 1048576 and (.rss_mapped_bytes | near(8))'
fi

# The largest process of a run is shown.
maps "$program" forked
so '.mapped_bytes == 40 * 1048576 and .mapped_peak_bytes == 104 * 1048576 and (.rss_mapped_bytes | near(72))'

# A program that was killed leaves what it had mapped.
way=killed
rm -f "$work/report"
expect 137 "$HOTPATH" run --no-cpu --alloc --format json -o "$work/report" -- "$program" killed
so '.mapped_bytes == 40 * 1048576 and .mapped_peak_bytes == .mapped_bytes and .rss_bytes == null'
expect 0 "$HOTPATH" report "$work/report"
says 'Outside malloc, mmap has 40.0 MB, at most 40.0 MB; how much of it is in use is not known' "$work/stdout"

# The table says it in one line, also of a saved report.
expect 0 "$HOTPATH" run --no-cpu --alloc --save "$work/saved.json" -- "$program" gone
line=$(grep '^RSS of ' "$work/stderr")
echo "$line" | grep -q '64.0 MB mmap' || fail "the table says: $line"
expect 0 "$HOTPATH" report "$work/saved.json"
says "$line" "$work/stdout"

# Without --alloc, the line is left out.
expect 0 "$HOTPATH" run --no-cpu -- "$program" gone
! grep -q '^RSS of ' "$work/stderr" || fail 'without --alloc it is told'

exit "$failed"
