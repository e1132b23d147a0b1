#!/bin/sh
# SPDX-License-Identifier: MIT
# The time that allocating takes is told as it is, whether every call takes some of it or a few take all.
# shellcheck disable=SC1091,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(dirname "$0")/../..

gcc -O2 -fno-builtin -fPIC -shared "$root/tests/programs/slow_allocator.c" -o "$work/libslow_allocator.so"
gcc -O2 -DHOTPATH_ENABLE=1 -I "$root/include" "$root/tests/programs/alloc_share.c" -o "$work/alloc_share" \
	-L "$work" -Wl,-rpath,"$work" -lslow_allocator -L "$BUILD/src/library" -Wl,-rpath,"$BUILD/src/library" -lhotpath

# The share of each function, in percent of its samples. What the probe does is neither its nor the allocator's.
shares='.functions_cpu | .period_ns as $period |
	(.data | map(select(.samples > 0 and .alloc_ns) | {(.name): (.alloc_ns / $period / .samples * 100)}) |
		add) as $share |
	([$share.in_each, $share.in_17, $share.in_170] | all(. > 25 - $most and . < 25 + $most)) and
	$share.in_most > 75 - $most and $share.in_most < 75 + $most and
	$share.in_none == 0 and .own_samples > (.data[] | select(.name == "calls_alone").samples)'

# check SOURCE MODE POINTS: a quarter, and three, but for so many points. A virtual processor that stands still for a while, always
# in one function, may make a run wrong; three in a row are not.
check()
{
	for _ in 1 2 3; do
		rm -f "$work/report"
		expect 0 timeout -s KILL 60 env HOTPATH_CPU_SOURCE="$1" "$HOTPATH" run --cpu "--alloc=$2" \
			--format json -o "$work/report" -- "$work/alloc_share" 700
		quiet "$work/stderr"
		! jq -e "$3 as \$most | $shares" "$work/report" > /dev/null || break
		jq -c '.functions_cpu | .data | map([.name, .samples, .alloc_ns])' "$work/report"
	done
	holds "$3 as \$most | $shares"
}

check perf count 9
check perf freed 9
check perf live 9
# The timer samples a quarter as often.
check timer live 16

# Without samples, no share is reported.
expect 0 "$HOTPATH" run --no-cpu --alloc --format json -o "$work/report" -- "$work/alloc_share" 1
holds '.functions_cpu == null and .bottlenecks == null'

exit "$failed"
