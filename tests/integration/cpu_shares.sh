#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that burn known shares of the CPU have those samples, and all samples together are its time.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(dirname "$0")/../..

# check THREADS: within 2 points each, and 2 % of what the kernel counted.
check()
{
	for share in 10 20 30 40; do
		holds ".functions_cpu | [.data[] | select(.name == \"burn_$share\").samples][0] * 100 /
			.total_samples - $share | if fabs <= 2 then true else ., false end"
	done
	is_all_of "$(cat "$work/stdout")" 0.02
	holds '.functions_cpu | ([.data[].samples] | add) == .total_samples'
}

for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -O2 -DHOTPATH_ENABLE=1 -I "$root/include" "$root/tests/programs/burn.c" -o "$work/burn" \
		-L "$BUILD/src/library" -Wl,-rpath,"$BUILD/src/library" -lhotpath -lpthread
	for source in $sources; do
		sampled "$source" "$work/burn" 5000 1
		check
		sampled "$source" "$work/burn" 1250 4
		check
	done
done

exit "$failed"
