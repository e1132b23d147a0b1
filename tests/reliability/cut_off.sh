#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that closes all descriptors, or changes its root, goes on being measured, new functions too.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"

many=$BUILD/tests/reliability/many
# The segment grows several times: 600 functions take about three megabytes.
functions=600 each=3

# measured REPORT: every function, as often as it was called.
measured()
{
	jq -e "[.functions_timing.data[] | select(.name | startswith(\"f\")).calls] ==
		[range($functions) | $each]" "$1" > "$work/answer" ||
		fail "$mode: not $functions functions, $each calls each: $(head -c 300 "$1")"
	jq -e '[.dropped[]] | add == 0' "$1" > "$work/answer" ||
		fail "$mode: dropped: $(jq -c .dropped "$1")"
}

# without MODE ARGUMENT: the program alone, and under the tool.
without()
{
	mode=$1 argument=$2
	expect 5 "$HOTPATH" run --format json --limit 0 "$many" "$functions" "$each" 5 "$mode" \
		"$argument"
	measured "$work/stderr"

	HOTPATH_OUTPUT_FORMAT=json HOTPATH_LIMIT=0 expect 5 "$many" "$functions" "$each" 5 "$mode" \
		"$argument"
	[ "$mode" = bare ] || [ "$mode" = reuse ] || measured "$work/stderr"
	"$HOTPATH" report --format json --limit 0 > "$work/later"
	measured "$work/later"
}

without close -
[ "$(wc -l < "$work/stderr")" = 1 ] || fail 'close: not one report'
says 'sum ' "$work/stdout"

# Nobody to speak to.
without bare -
quiet "$work/stderr"
quiet "$work/stdout"

# The profiler's words are not for the program's own files, wherever they are.
for limit in 3 bad; do
	rm -f "$work/data"
	HOTPATH_LIMIT=$limit expect 5 "$many" "$functions" "$each" 5 reuse "$work/data"
	[ "$(sed 's/^sum .*/sum/' "$work/data")" = 'precious data
sum' ] || fail "reuse: written into the data of the program: $(cat "$work/data")"
done

if [ "$(id -u)" = 0 ]; then
	mkdir "$work/root"
	without chroot "$work/root"
	[ -z "$(ls -A "$work/root")" ] || fail 'chroot: something was left in the new root'
else
	echo 'skipped: chroot, which needs root'
fi

exit "$failed"
