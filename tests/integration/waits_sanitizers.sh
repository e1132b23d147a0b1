#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with a sanitizer, which stands before the same functions, have nothing to complain of when their waits are observed.
# shellcheck disable=SC1091,SC2034,SC2154
set -eu
. "$(dirname "$0")/locks_common.sh"
source=$(cd "$(dirname "$0")" && pwd)/../programs/wait_exchange.c

# clean OPTION...: as without us, each of some times: threads meet in another order.
clean()
{
	for _ in 1 2 3 4; do
		expect 0 "$HOTPATH" run "$@" --format json --limit 0 -o "$work/report" -- "$work/program"
		same '200 messages, 10000 lines' "$work/stdout"
		quiet "$work/stderr"
	done
	name="$compiler $sanitizer"
	holds '([.io.data[] | select(.operation == "read" and .target == "socket pair") | .calls] | add) == 400'
	holds 'any(.waits.data[]; .reason == "poll" and .wait_sampled_count == 200)'
}

for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	for sanitizer in address thread undefined; do
		"$compiler" -g -O1 "-fsanitize=$sanitizer" "$source" -o "$work/program" -lpthread 2> "$work/log" || continue
		clean --waits
		clean --waits --cpu
	done
done

exit "$failed"
