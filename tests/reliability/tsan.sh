#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads that measure, a reader that reads, and sessions that come and go: no sanitizer objects.
#
# usage: tests/reliability/tsan.sh COMPILER SANITIZERS [SESSIONS]
#
# Builds recorder, reader and programs from source, all with the sanitizer. Objects are kept in the folder $BUILD.
set -eu
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR

compiler=${1:?usage: tsan.sh COMPILER SANITIZERS} sanitizers=${2:?usage: tsan.sh COMPILER SANITIZERS}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sources.sh
. "$here/../sources.sh"
objects=${BUILD:?the build folder}/sanitized/$compiler-${sanitizers%%,*}
programs=$root/tests/programs
alloc=$root/src/probes/alloc
waits=$root/src/probes/waits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v "$compiler" > /dev/null || {
	echo "skipped: there is no $compiler"
	exit 77
}

mapfile -t includes < <(include_options segment elf next recorder probes/alloc probes/waits kinds reader views shared)
flags=(-std=gnu11 -g -O1 -fno-omit-frame-pointer -D_GNU_SOURCE -DHOTPATH_ENABLE=1 -DHOTPATH_SHARED=0
	"-fsanitize=$sanitizers" -fno-sanitize-recover=all "${includes[@]}")

# compile FOLDER [OPTION...] < SOURCES
compile()
{
	local folder=$objects/$1
	shift
	"$here/../objects.py" "$folder" "$compiler" "${flags[@]}" "$@"
}

# link PROGRAM OBJECT... [OPTION...]: with the library.
link()
{
	local program=$1
	shift
	"$compiler" "${flags[@]}" "$@" "$objects"/library/*.o -lpthread -o "$work/$program"
}

static_library | compile library
# Programs with channels, streams, futures and values know what they count.
printf '%s\n' "$here/sessions.c" "$programs"/flow_{lives,threads,traps}.c | compile programs
link sessions "$objects/programs/tests_reliability_sessions.c.o"
for program in flow_lives flow_threads flow_traps; do
	link "$program" "$objects/programs/tests_programs_$program.c.o"
done
# The same once more with every function of the program measured by the compiler too.
printf '%s\n' "$here/sessions.c" "$programs/alloc_stress.c" | compile functions -w -finstrument-functions
link functions "$objects/functions/tests_reliability_sessions.c.o"

# Functions with sleds, which are armed and disarmed while threads are in them. A sanitizer would object to the program, which cares for
# no race of its own.
for program in sleds_stale sleds_return; do
	"$HOTPATH" cc "$compiler" -O1 -g -c "$programs/$program.c" -o "$work/$program.o"
	"$HOTPATH" cc "$compiler" "${flags[@]}" "$work/$program.o" "$objects"/library/*.o -lpthread -o "$work/$program"
done

# And with the probe for allocations, which its linker puts in front of the sanitizer's malloc. A sanitizer would
# take the note of the probe apart.
wrap=$(sed -n 's/^DEFINE([a-z *]*, \([a-z_]*\),.*/,--wrap=\1/p' "$alloc/malloc.c" | tr -d '\n')
echo "$alloc/malloc.c" | compile probe -DHOTPATH_WRAP=1
echo "$alloc/wrap.c" | compile probe_note -DHOTPATH_WRAP=1 -fno-sanitize=all
link stress "$objects/functions/tests_programs_alloc_stress.c.o" "$objects"/probe{,_note}/*.o "-Wl$wrap"

# The same with the probe for waits, in front of the sanitizer's.
wrap=$(sed -n 's/^FUNCTION(\([a-z0-9_]*\),.*/,--wrap=\1/p' "$waits/waits.def" "$waits/io.def" | tr -d '\n')
find "$waits" -name '*.c' ! -name probe.c | compile waits -DHOTPATH_WRAP=1 -fexceptions
echo "$waits/probe.c" | compile waits_note -DHOTPATH_WRAP=1 -fexceptions -fno-sanitize=all
printf '%s\n' "$programs"/lock_{times,holders}.c | compile locks
for program in lock_times lock_holders; do
	link "$program" "$objects/locks/tests_programs_$program.c.o" "$objects"/waits{,_note}/*.o "-Wl$wrap"
done

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
	timeout -k 10 60 "$@" > "$work/stdout" 2> "$work/output" || status=$?
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
for arguments in 'stale main' 'stale thread flood' 'stale recursion flood' 'return main' 'return thread'; do
	# shellcheck disable=SC2086
	HOTPATH_RUN=1-1 silent "$work"/sleds_$arguments
done
for mode in live freed count; do
	HOTPATH_ALLOC=$mode HOTPATH_OUTPUT_FORMAT=none silent "$work/stress" 8 3000 1
done
for arguments in 'times mutex 8 30' 'times write 8 30' 'times read 8 30' 'times condition 4 10' 'times c11 4 20' 'times spin 2 20' \
	'holders heap' 'holders label' 'holders measured'; do
	# shellcheck disable=SC2086
	HOTPATH_OUTPUT_FORMAT=none silent "$work"/lock_$arguments
done
# Signal handlers and reports with stacks keep the sanitizer busy that checks the use of the stack.
export ASAN_OPTIONS=detect_leaks=0
for arguments in 'threads 5000 4 4 64' 'lives values' 'lives futures' 'lives wrong' 'lives iter' \
	'traps threads' 'traps timer'; do
	# shellcheck disable=SC2086
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report" HOTPATH_REPORT=all silent "$work"/flow_$arguments
done
export HOTPATH_CPU=1 HOTPATH_CPU_RATE=5000
# ThreadSanitizer waits for itself when a signal comes while pthread_join frees what the stack of a thread had. Small stacks are
# kept for the next threads.
ulimit -s 2048
silent "$work/sessions" 3
HOTPATH_OUTPUT_FORMAT=none silent "$work/stress" 8 1000 1
# The stacks of waits are taken in between.
HOTPATH_OUTPUT_FORMAT=none silent "$work/lock_times" mutex 8 30
exit "$failed"
