#!/bin/sh
# SPDX-License-Identifier: MIT
# Allocations have the stacks of their callers, with as many bytes as the program has allocated there.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"
instrumented="-std=gnu11 -D_GNU_SOURCE -w -pthread -g -fno-builtin"

# Each stack as [names of the first COUNT frames, bytes, blocks, live bytes, live blocks], sorted; equal ones are added up.
stacks='def stacks(count): .alloc_stacks as $all | [$all.stacks[] |
	[[.frames[:count][] | $all.frames[.].name], .bytes, .blocks, .live_bytes, .live_blocks]] |
	group_by(.[0]) | map([.[0][0]] + (map(.[1:]) | transpose | map(add)));
	def of(name): map(select(.[0][0] == name));'

# has COUNT FUNCTION EXPECTED: the stacks that begin with the function.
has()
{
	[ -z "$broken" ] || return 0
	jq -c "$stacks stacks($1) | of(\"$2\")" "$work/report" > "$work/actual"
	echo "$3" | jq -c . > "$work/expected"
	cmp -s "$work/expected" "$work/actual" || fail "$what: $(diff "$work/expected" "$work/actual")"
}

# all_have_stacks: all bytes have a stack.
all_have_stacks()
{
	holds '(.alloc_stacks.stacks | map(.bytes) | add) == .functions_alloc.total_bytes'
}

build gcc '-O1 -shared -fPIC' alloc_library.c
mv "$program" "$work/liballoc_library.so"
for compiler in $compilers; do
	# gcc builds functions without a frame pointer, other compilers with one.
	frames=-fomit-frame-pointer
	[ "$compiler" = gcc ] || frames=-fno-omit-frame-pointer
	build "$compiler" "-O1 $frames" alloc_callers.c

	for count in 1 2 8; do
		allocating live threads "$count"
		has 3 wrap "[[[\"wrap\", \"first\", \"in_thread\"], $((count * 300000)), $((count * 3000)), 0, 0],
			[[\"wrap\", \"second\", \"in_thread\"], $((count * 600000)), $((count * 3000)),
			$((count * 600000)), $((count * 3000))]]"
		all_have_stacks
	done

	allocating live family
	for by in malloc,1000 calloc,2000 posix_memalign,4000 aligned_alloc,6400 strdup,8 strndup,6 memalign,5000; do
		size=${by#*,}
		has 3 "by_${by%,*}" "[[[\"by_${by%,*}\", \"family\", \"main\"], $size, 1, $size, 1]]"
	done
	has 3 by_realloc '[[["by_realloc", "family", "main"], 3010, 2, 3000, 1]]'
	all_have_stacks

	# A deep stack has its innermost 32 frames, and says that it is not whole.
	allocating live deep
	has 4 wrap '[[["wrap", "deeper", "deeper", "deeper"], 50, 1, 50, 1]]'
	holds '[.alloc_stacks.stacks[] | select(.bytes == 50) | (.frames | length), .whole] == [32, false]'

	# Two processes: each stack is there once.
	what="$built: fork"
	limited "$HOTPATH" run --no-cpu --alloc --format json --limit 0 -o "$work/report" -- "$program" fork
	has 3 wrap '[[["wrap", "first", "main"], 100, 1, 100, 1], [["wrap", "in_child", "main"], 600, 2, 600, 2]]'

	allocating live signal
	has 3 wrap '[[["wrap", "first", "handle"], 1000, 10, 1000, 10]]'

	# A library that is closed leaves its addresses to others.
	allocating live library "$work/liballoc_library.so" 20
	has 3 wrap '[[["wrap", "first", "open_and_close"], 2000, 20, 2000, 20]]'
	has 3 library_keeps '[[["library_keeps", "open_and_close", "main"], 1540, 20, 1540, 20]]'
	all_have_stacks

	# The modes freed and count have no stacks.
	for mode in freed count; do
		allocating "$mode" family
		holds 'has("alloc_stacks") | not'
	done
done

# More stacks than there is room for: the others are one row, and nothing is missing in the total.
allocating live many
holds '([.functions_alloc.data[] | select(.name == "<other call sites>").bytes] | add) as $others |
	(.alloc_stacks.stacks | length > 60000) and .dropped.origins > 0 and $others > 0 and
	(.alloc_stacks.stacks | map(.bytes) | add) + $others == .functions_alloc.total_bytes and
	.functions_alloc.total_bytes >= 131072 * 8'

# A saved report has the same.
what="a saved report"
"$HOTPATH" run --no-cpu --alloc --format json --limit 0 -o "$work/saved.json" -- "$program" family
"$HOTPATH" report "$work/saved.json" --format json --limit 0 > "$work/again.json"
[ "$(jq -c .alloc_stacks "$work/saved.json")" = "$(jq -c .alloc_stacks "$work/again.json")" ] ||
	fail "$what: read and written again it has other stacks"

instrumented="-std=c++17 -w -g"
build g++ -O1 alloc_callers.cpp
allocating live
has 3 by_new '[[["by_new", "both", "main"], 3000, 10, 3000, 10]]'
has 3 by_array '[[["by_array", "both", "main"], 9000, 10, 9000, 10]]'

exit "$failed"
