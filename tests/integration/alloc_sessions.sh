#!/bin/sh
# SPDX-License-Identifier: MIT
# Every session begins with nothing, and knows no blocks of another; pools hand out blocks inside of blocks.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"
recorder=$BUILD/src/library probe=$BUILD/src/probes/alloc
enabled="-O2 -fno-builtin -DHOTPATH_ENABLE=1 -L$recorder -L$probe -Wl,-rpath,$recorder:$probe"

# each_session COMMAND...: the report of each is what the program says after the line with its number.
each_session()
{
	rm -rf "$work/reports"
	mkdir "$work/reports"
	expect 0 env HOTPATH_ALLOC=live "$@" "$program" sessions "$work/reports"
	mv "$work/stdout" "$work/truths"
	broken=
	for number in 1 2; do
		what="$built, $*: session $number"
		sed -n "/^session $number/,/^session $((number + 1))/p" "$work/truths" > "$work/truth"
		if [ -s "$work/reports/$number" ]; then
			cp "$work/reports/$number" "$work/report"
			allocates
		else
			fail "$what: no report: $(cat "$work/stderr")"
		fi
	done
}

for compiler in $compilers; do
	# Linked with the probe, and with the recorder alone and the probe preloaded.
	build "$compiler" "$enabled" alloc_sessions.c -Wl,--no-as-needed -lhotpath-alloc -lhotpath
	each_session
	build "$compiler" "$enabled" alloc_sessions.c -lhotpath
	each_session LD_PRELOAD="$probe/libhotpath-alloc.so"
	for mode in live freed count; do
		allocating "$mode" pools
		allocates
	done
	# The recorder is in the program, and in the library that the tool preloads.
	build "$compiler" "$enabled" alloc_sessions.c "$recorder/libhotpath.a"
	for mode in live freed count; do
		allocating "$mode" pools
		allocates
	done
done

exit "$failed"
