# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What there is to be fuzzed, and how sanitizers behave there.
#
# Sourced.
targets=(segment segment_fields saved compare elf unwind mcp request)

# libFuzzer looks for leaks itself, where memory was taken and not given back; once more at the end of each
# process takes seconds.
export ASAN_OPTIONS=abort_on_error=0:allocator_may_return_null=0:leak_check_at_exit=0
export UBSAN_OPTIONS=print_stacktrace=1
