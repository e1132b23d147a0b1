# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# For programs that were built with a sanitizer: it leaves to the program the signals that are to kill it,
# minds neither memory nor threads that are left at the end, and is quick about that.
#
# Sourced.
for tool in ASAN UBSAN TSAN LSAN; do
	eval "options=\${${tool}_OPTIONS-}"
	export "${tool}_OPTIONS=$options:handle_segv=0:handle_abort=0:detect_leaks=0:report_thread_leaks=0"
done

# sanitized PROGRAM: whether it was; then it needs more memory and descriptors than it does otherwise.
sanitized() { grep -q -e __asan_init -e __tsan_init "$1"; }
