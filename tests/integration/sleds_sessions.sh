#!/bin/sh
# SPDX-License-Identifier: MIT
# Sleds are armed and disarmed a hundred times a second while threads execute them: registers and results stay what they are.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
sources=$(cd "$(dirname "$0")/../programs" && pwd)
program=$work/sled_registers

# same_results WHAT COMMAND...
same_results()
{
	what=$1
	shift
	timeout -s KILL 60 "$@" > "$work/printed" 2> "$work/stderr" || fail "$what ends with $?: $(cat "$work/stderr")"
	cmp -s "$work/expected" "$work/printed" || fail "$what: other results: $(diff "$work/expected" "$work/printed")"
}

for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	for options in -O0 '-O2 -fcf-protection=full' '-O3 -fno-pie -no-pie -mavx2'; do
		# shellcheck disable=SC2086
		"$compiler" -w -pthread $options "$sources/sled_registers.c" -o "$program" ||
			{ echo "skipped: $compiler $options" && continue; }
		"$program" > "$work/expected" || { echo "skipped: no processor for $options" && continue; }
		# shellcheck disable=SC2086
		"$HOTPATH" cc "$compiler" -w -pthread $options "$sources/sled_registers.c" -o "$program"
		same_results "$compiler $options" "$program"
		for limit in 0 1 10; do
			same_results "$compiler $options, limit $limit" \
				"$HOTPATH" run --max-overhead "$limit" --output-path "$work/report" "$program"
			same_results "$compiler $options, limit $limit, in sessions" \
				"$HOTPATH" run --max-overhead "$limit" --output-path "$work/report" "$program" sessions
		done
	done
done

exit "$failed"
