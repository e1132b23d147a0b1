#!/bin/sh
# SPDX-License-Identifier: MIT
# Blocks that are left at the end are those that LeakSanitizer finds: as many, and as large, from each line.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/../integration/traps_common.sh"
. "$(dirname "$0")/../integration/functions_common.sh"
. "$(dirname "$0")/../integration/alloc_common.sh"

# by_sanitizer: bytes and blocks of each line, whether leaked themselves or with what points to them.
by_sanitizer()
{
	awk '/ leak of / { bytes = $4; blocks = $7; found = 0 }
		/^ *#/ && !found && match($0, /leaks\.c:[0-9]+/) {
			line = substr($0, RSTART + 8, RLENGTH - 8)
			found = 1
			all[line] += bytes
			count[line] += blocks
		}
		END { for (line in all) print line, all[line], count[line] }' "$work/stderr" | sort
}

# by_us: the same, if they are the program's own. Of each thread the dynamic linker keeps a block.
by_us()
{
	jq -r '.memory_live.data[] | select(.location | test("leaks\\.c:")) |
		"\(.location | split(":")[1]) \(.bytes) \(.blocks)"' "$work/report" | sort
}

for compiler in $compilers; do
	"$compiler" -std=gnu11 -D_GNU_SOURCE -g -O1 -pthread -fsanitize=leak "$sources/leaks.c" -o "$work/oracle" || {
		echo "skipped: $compiler has no LeakSanitizer"
		exit 77
	}
	status=0
	# Without the tables for unwinding, whoever called a function without a frame pointer, such as strdup, is missed.
	LSAN_OPTIONS=fast_unwind_on_malloc=0 "$work/oracle" > /dev/null 2> "$work/stderr" || status=$?
	grep -q 'SUMMARY: LeakSanitizer' "$work/stderr" || {
		echo "skipped: LeakSanitizer cannot run here: $(head -n 3 "$work/stderr")"
		exit 77
	}
	by_sanitizer > "$work/expected"
	[ "$(wc -l < "$work/expected")" = 11 ] || fail "$compiler: LeakSanitizer finds $(cat "$work/expected")"
	for level in -O0 -O1 -O2; do
		build "$compiler" "-g $level" leaks.c
		allocating live
		by_us > "$work/found"
		cmp -s "$work/expected" "$work/found" ||
			fail "$built: $(diff "$work/expected" "$work/found")"
		nothing_lost
	done
done

exit "$failed"
