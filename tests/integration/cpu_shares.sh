#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that burn known shares of the CPU have those samples, and all samples together are its time.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(dirname "$0")/../..

# What is true of the samples of any run: 2 points around each share.
shares='.functions_cpu | .total_samples as $all | [10, 20, 30, 40] - [.data[] | .samples as $own |
	(.name | ltrimstr("burn_") | tonumber?) | select(($own * 100 / $all - .) | fabs <= 2)] == []'

# Also, all together are within 2 % of what the kernel counted. The program counts its work, not its time: where a
# virtual processor stands still for a while, the function that it was in has that time, and rightly the samples. So a
# run may be wrong; three in a row are not.
check_shares()
{
	holds "$shares"
	is_all_of "$(cat "$work/stdout")" 0.02
}

# burn SOURCE MILLISECONDS THREADS
burn()
{
	undisturbed check_shares sampled "$1" "$work/burn" "$2" "$3"
	holds '.functions_cpu | ([.data[].samples] | add) == .total_samples'
}

for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -O2 -DHOTPATH_ENABLE=1 -I "$root/include" "$root/tests/programs/burn.c" -o "$work/burn" \
		-L "$BUILD/src/library" -Wl,-rpath,"$BUILD/src/library" -lhotpath -lpthread
	for source in $sources; do
		burn "$source" 5000 1
		burn "$source" 1250 4
	done
done

exit "$failed"
