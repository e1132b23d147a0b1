#!/bin/bash
# SPDX-License-Identifier: MIT
# Everything before a release: both compilers, optimised and under each sanitizer; a longer fuzz.
set -eu

cd "$(dirname "$0")/.."

# A sanitizer's report ends the test that caused it, whoever reads its output.
# Looking for leaks takes seconds at the end of every process, and the tests start thousands.
export ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1:detect_leaks=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

# build NAME COMPILER OPTION...: configured anew, so that no older setting is left.
build()
{
	local folder=build-$1 compiler=$2
	shift 2
	echo "== $folder"
	rm -rf "$folder"
	CC=$compiler meson setup "$folder" "$@" > /dev/null
	ninja -C "$folder" --quiet
}

# run NAME SUITE...: of tests.
run()
{
	local folder=build-$1 suites=() suite
	shift
	for suite in "$@"; do
		suites+=(--suite "$suite")
	done
	meson test -C "$folder" --no-rebuild --quiet --print-errorlogs "${suites[@]}" \
		--timeout-multiplier 4
}

# Programs that switch stacks, count every page or are traced are not for ThreadSanitizer; what it is for,
# threads under a reader, is a test that brings its own build.
for compiler in gcc clang; do
	build "$compiler-release" "$compiler" --buildtype=release -Dwerror=true
	run "$compiler-release" unit source tool console program reliability install
	build "$compiler-address" "$compiler" -Db_sanitize=address,undefined -Db_lundef=false
	run "$compiler-address" unit tool console
	build "$compiler-thread" "$compiler" -Db_sanitize=thread -Db_lundef=false
	run "$compiler-thread" unit tool
done
for test in tests/header/*.sh; do
	echo "== $test"
	"$test"
done
tests/fuzz/run.sh 300
