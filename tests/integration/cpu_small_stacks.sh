#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs whose stacks have no room for a sample are sampled 10000 times a second, and do what they do without it.
# shellcheck disable=SC1091,SC2034,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
program=$BUILD/tests/programs/small_stacks
run_options=--rate=10000

for use in handler overflow coroutine thread query fork many late; do
	"$program" "$use" > "$work/expected"
	for source in $sources; do
		sampled "$source" "$program" "$use"
		cmp "$work/expected" "$work/stdout" || fail "$use: $(cat "$work/stdout")"
		holds '.dropped.unsampled == 0'
		# What such a stack was used for is seen: nearly all that these do.
		[ "$use" = query ] || holds '[.functions_cpu.data[] | select(.name == "compute").samples] | add > 30'
	done
done

exit "$failed"
