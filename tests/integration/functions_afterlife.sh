#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions before main and after it, of the program, its library and ending threads, are counted.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

for compiler in $compilers; do
	for level in -O0 -O2; do
		build "$compiler" "$level -shared -fPIC" functions_library.c
		mv "$program" "$work/libwork.so"
		build "$compiler" "$level" functions_afterlife.c "$work/libwork.so" "-Wl,-rpath,$work"
		traced
		# The library's own, which it does not tell of.
		printf '%s\n' 'library_constructor 1' "helper $(calls library_work)" \
			"library_shared $(calls library_work)" >> "$work/truth"
		agrees
		all_closed
		nothing_lost
		holds '.exit.clean and .exit.status == 0'
		[ "$(calls destroy)" -gt 20 ] || fail "$what: threads end without a second round"
	done
	HOTPATH_CLOCK=monotonic traced
	holds "\$row.destroy.calls == $(calls destroy) and \$row.after_main.calls == $(calls after_main)"
done

exit "$failed"
