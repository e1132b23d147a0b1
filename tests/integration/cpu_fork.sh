#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process has its own CPU time in its own report, however it came into being, and none is harmed.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"

# each_has PROCESSES: so many, and the samples of each are its time; a process that is not left by exit may
# lack what had no sample yet: some 20 ms of its 200.
each_has()
{
	[ "$(wc -l < "$work/stdout")" = "$1" ] || fail "$way: not $1 processes: $(cat "$work/stdout")"
	while read -r pid used; do
		holds "select(.pid == $pid).functions_cpu | .total_samples * .period_ns / $used |
			if . > 0.9 and . < 1.02 then true else ., false end"
	done < "$work/stdout"
}

for source in $sources; do
	for way in prefork:4 thread:3 exec:2 vfork:2 spawn:2; do
		sampled "$source" "$BUILD/tests/programs/fork_compute" "${way%:*}"
		each_has "${way#*:}"
	done
done

exit "$failed"
