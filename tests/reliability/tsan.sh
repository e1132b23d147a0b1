#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads that measure, a reader that reads, and sessions that come and go: no sanitizer objects.
#
# usage: tests/reliability/tsan.sh COMPILER SANITIZERS [SESSIONS]
#
# Builds recorder, reader and program from source, all with the sanitizer.
set -eu

compiler=${1:?usage: tsan.sh COMPILER SANITIZERS} sanitizers=${2:?usage: tsan.sh COMPILER SANITIZERS}
here=$(cd "$(dirname "$0")" && pwd)
src=$here/../../src
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v "$compiler" > /dev/null || {
	echo "skipped: there is no $compiler"
	exit 77
}

flags=(-std=gnu11 -g -O1 -fno-omit-frame-pointer -D_GNU_SOURCE -DHOTPATH_ENABLE=1 -DHOTPATH_SHARED=0
	"-fsanitize=$sanitizers" -fno-sanitize-recover=all "-I$here/../../include")
for folder in segment elf recorder reader views shared; do
	flags+=("-I$src/$folder")
done
# What reads saved reports and lines of source needs libraries and is not part of this; nor is what stands before
# functions of the C library, as sanitizers do themselves.
find "$src"/{segment,elf,recorder,reader,views,shared,library} "$here/sessions.c" -maxdepth 1 -name '*.c' \
	! -name 'saved*.c' ! -name lines.c ! -name dwarf_file.c ! -name scopes.c \
	! -name symbols.c ! -name inlined.c ! -name report_shared.c -print0 |
	xargs -0 -P 2 -I '{}' sh -c '
		source=$1 work=$2 compiler=$3
		shift 3
		exec "$compiler" "$@" -c "$source" \
			-o "$work/$(echo "$source" | sed "s,.*/\([^/]*\)/,\1_,").o"' \
		compile '{}' "$work" "$compiler" "${flags[@]}"
"$compiler" "${flags[@]}" "$work"/*.o -lpthread -o "$work/sessions"
# The same once more with every function of the program measured by the compiler too.
"$compiler" "${flags[@]}" -finstrument-functions -c "$here/sessions.c" -o "$work/reliability_sessions.c.o"
"$compiler" "${flags[@]}" "$work"/*.o -lpthread -o "$work/functions"

# Programs with channels, streams, futures and values, which know what they count.
rm "$work/reliability_sessions.c.o"
for program in flow_lives flow_threads flow_traps; do
	"$compiler" "${flags[@]}" "$here/../programs/$program.c" "$work"/*.o -lpthread -o "$work/$program"
done

# And with the probe for allocations, which its linker puts in front of the sanitizer's malloc. A sanitizer would
# take the note of the probe apart.
wrap=$(sed -n 's/^DEFINE([a-z *]*, \([a-z_]*\),.*/,--wrap=\1/p' "$src/probes/alloc/alloc.c" | tr -d '\n')
"$compiler" "${flags[@]}" -DHOTPATH_WRAP=1 -c "$src/probes/alloc/alloc.c" -o "$work/alloc.o"
"$compiler" "${flags[@]}" -fno-sanitize=all -c "$src/probes/alloc/wrap.c" -o "$work/wrap.o"
"$compiler" "${flags[@]}" -w -finstrument-functions "$here/../programs/alloc_stress.c" "$work"/*.o -lpthread \
	"-Wl$wrap" -o "$work/stress"

mkdir -m 700 "$work/segments"
unset HOTPATH_RUN HOTPATH_OFF HOTPATH_CLOCK HOTPATH_OUTPUT_FORMAT HOTPATH_OUTPUT_PATH
export HOTPATH_DIR="$work/segments"
# Leaks are looked for elsewhere: here threads are many, and that takes seconds.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=0:second_deadlock_stack=1:history_size=4

failed=0
# silent COMMAND...: it says nothing, but for what it knows of itself.
silent()
{
	status=0
	timeout 60 "$@" > "$work/stdout" 2> "$work/output" || status=$?
	[ "$status" = 0 ] || echo "FAILED: '$*' ends with $status" >> "$work/output"
	grep -v -e '^{"pid"' -e '^@' "$work/stdout" >> "$work/output" || true
	[ -s "$work/output" ] || return 0
	grep '^SUMMARY: ' "$work/output" | sort | uniq -c || true
	head -400 "$work/output"
	failed=1
}

silent "$work/sessions" "${3-10}"
# Slower by far where the sanitizer checks the use of the stack.
silent "$work/functions" 2
for mode in live freed count; do
	HOTPATH_ALLOC=$mode HOTPATH_OUTPUT_FORMAT=none silent "$work/stress" 8 3000 1
done
# Signal handlers and reports with stacks keep the sanitizer busy that checks the use of the stack.
export ASAN_OPTIONS=detect_leaks=0
for arguments in 'threads 5000 4 4 64' 'lives values' 'lives futures' 'lives wrong' 'lives iter' \
	'traps threads' 'traps timer'; do
	# shellcheck disable=SC2086
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" HOTPATH_REPORT=all silent "$work"/flow_$arguments
done
export HOTPATH_CPU=1 HOTPATH_CPU_RATE=5000
silent "$work/sessions" 3
HOTPATH_OUTPUT_FORMAT=none silent "$work/stress" 8 1000 1
exit "$failed"
