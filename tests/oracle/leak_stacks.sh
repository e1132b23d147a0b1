#!/bin/sh
# SPDX-License-Identifier: MIT
# Blocks that are left at the end have the stacks that LeakSanitizer prints, with as many bytes and blocks.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/../integration/expect.sh"
here=$(cd "$(dirname "$0")" && pwd)

# make OPTION... NAME: the program. Every call has a frame: none is inlined, and none replaces its caller's.
make()
{
	gcc -std=gnu11 -D_GNU_SOURCE -g -pthread -fno-inline -fno-optimize-sibling-calls "$here/../programs/leaks.c" "$@"
}

for frames in -fno-omit-frame-pointer -fomit-frame-pointer; do
	make -O1 "$frames" -fsanitize=address -o "$work/oracle" || {
		echo 'skipped: gcc has no AddressSanitizer'
		exit 77
	}
	make -O1 "$frames" -o "$work/leaks"
	ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0 "$work/oracle" > /dev/null 2> "$work/sanitizer" || :
	grep -q 'SUMMARY: AddressSanitizer' "$work/sanitizer" || {
		echo "skipped: LeakSanitizer cannot run here: $(head -n 3 "$work/sanitizer")"
		exit 77
	}
	expect 0 "$HOTPATH" run --no-cpu --alloc --format json --limit 0 -o "$work/report" -- "$work/leaks"
	expect 0 "$here/leak_stacks.py" "$work/sanitizer" "$work/report" leaks
	tail -n 20 "$work/stdout"
done

exit "$failed"
