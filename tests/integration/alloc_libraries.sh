#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries allocate before main, are closed, and free after main; their call sites keep their names.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"

# sites: of the library's blocks, all have a line of its source.
sites()
{
	[ -z "$broken" ] || return 0
	lines=$(jq -r '.memory_live.data[] | select(.name | startswith("library_")).location' "$work/report" |
		sed 's/.*alloc_library\.c:/line /' | sort | paste -sd,)
	[ "$lines" = 'line 11,line 23' ] || fail "$what: blocks come from $lines"
}

for compiler in $compilers; do
	build "$compiler" '-g -O1 -shared -fPIC' alloc_library.c
	mv "$program" "$work/liballoc_library.so"
	build "$compiler" "-O1 -DLINKED -L$work -Wl,-rpath,$work" alloc_libraries.c -lalloc_library
	allocating live
	allocates
	sites
	build "$compiler" -O1 alloc_libraries.c
	for times in 1 20; do
		allocating live "$work/liballoc_library.so" "$times"
		allocates
		sites
	done
	# And where no function is measured.
	"$compiler" -g -O1 -shared -fPIC "$sources/alloc_library.c" -o "$work/plain.so"
	"$compiler" -std=gnu11 -D_GNU_SOURCE -O1 "$sources/alloc_libraries.c" -o "$program" -ldl
	allocating live "$work/plain.so" 20
	holds '[.memory_live.data[] | select(.name | startswith("library_")) | [.name, .bytes, .blocks]] ==
		[["library_begins", 20040, 20], ["library_keeps", 1540, 20]]'
	sites
done

exit "$failed"
