#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program wants called before recording ends is called once, however it ends, and is in the report.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# said HOW EXPECTED
said()
{
	[ "$(tr '\n' ' ' < "$work/stdout")" = "$2" ] || fail "$way, $1: $(cat "$work/stdout")"
}

# in_report HOW: its value and its call.
in_report()
{
	expect 0 "$HOTPATH" report --format json
	jq -e '[.debug.data[].last_value] == ["goodbye"] and
		([.functions_timing.data[] | select(.name == "last_words").calls] == [1])' "$work/stdout" > /dev/null ||
		fail "$way, $1: not in the report: $(head -c 600 "$work/stdout")"
}

export HOTPATH_OUTPUT_FORMAT=none
for way in shared static handed_over by_tool; do
	program=$programs/hook
	set --
	case $way in
	static) program=$programs/hook_static ;;
	handed_over) program=$programs/hook_static && set -- env LD_PRELOAD="$BUILD/src/library/libhotpath.so" ;;
	by_tool) set -- "$HOTPATH" run ;;
	esac
	for how in return stop exit thread late; do
		expect 0 "$@" "$program" "$how"
		said "$how" 'hook atexit '
		in_report "$how"
	done
	HOTPATH_SHUTDOWN_MS=50 expect 0 "$@" "$program" shutdown
	said shutdown 'hook atexit '
	in_report shutdown
	for how in none never; do
		expect 0 "$@" "$program" "$how"
		said "$how" 'atexit '
	done
	expect 0 "$@" "$program" fork
	said fork 'atexit hook atexit '
	expect 0 "$@" "$program" again
	said again 'hook hook atexit '
done
exit "$failed"
