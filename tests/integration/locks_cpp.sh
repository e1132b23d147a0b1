#!/bin/sh
# SPDX-License-Identifier: MIT
# Locks of C++ programs; and locks inside of other allocators, which are acquired before anything else is ready.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"
source=$(dirname "$0")/../programs/locks.cpp

locks='[.locks.data[] | select(.name != "orders_mutex" and (.name | startswith("withdraw") | not)) | [.name, .lock_type, .instances, .acquired_count, .hold_sampled_count]] | sort'
for compiler in g++ clang++; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -std=c++14 -O2 -g -pthread "$source" -o "$work/locks"
	name=$compiler
	expect 0 "$HOTPATH" run --waits --format json -o "$work/report" -- "$work/locks"
	equals '[["again_mutex","mutex",1,200,100],["deposit","mutex",1,100,100],["table_mutex","rwlock read",1,100,100],["timed_mutex","mutex",1,100,100]]' "$locks"
	# The program's own function, and its line, not those of the library that are inlined there.
	equals '[["deposit","locks.cpp"],["withdraw","locks.cpp"]]' \
		'[.locks.data[] | select(.location) | [(.name | sub(" .in .*"; "")), (.location.file | sub(".*/"; ""))]] | sort'
	for function in deposit withdraw; do
		line=$(grep -n "void $function(" "$source" | cut -d : -f 1)
		holds --argjson line "$line" --arg name "$function" '.locks.data[] | select(.location and (.name | startswith($name))) |
			.location.line > $line and .location.line < $line + 5'
	done
	# Each wait for the condition acquires it again.
	equals "$(sed -n 2p "$work/stdout")" '.locks.data[] | select(.name == "orders_mutex") | .acquired_count'
done

# Other allocators lock mutexes while the dynamic linker and the recorder begin.
"$programs/lock_kinds" > "$work/plain"
for allocator in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4; do
	path=$(ldconfig -p 2> /dev/null | sed -n "s/.*$allocator .*=> //p" | head -1)
	[ -e "$path" ] || continue
	for options in '--waits --no-cpu' '--waits --alloc --cpu'; do
		# shellcheck disable=SC2086
		expect 0 env LD_PRELOAD="$path" timeout 30 "$HOTPATH" run $options --format none -- "$programs/lock_kinds"
		cmp -s "$work/plain" "$work/stdout" || fail "$allocator, $options: $(diff "$work/plain" "$work/stdout")"
		# shellcheck disable=SC2086
		expect 0 env LD_PRELOAD="$path" timeout 30 "$HOTPATH" run $options --format none -- "$work/locks"
	done
done

exit "$failed"
