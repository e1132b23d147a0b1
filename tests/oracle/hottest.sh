# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# The hottest functions of a program, by perf and by us. Sourced, after subjects.sh.

# same_hottest COMMAND...: both name the same, in the same order.
same_hottest()
{
	command -v perf > /dev/null || skip 'perf is not installed'
	if ! perf record -q -e cpu-clock:u -F 999 -o "$work/perf" -- "$@" > "$work/stdout" 2> "$work/stderr"; then
		skip "perf record: $(head -n 1 "$work/stderr")"
	fi
	perf report -i "$work/perf" -q --no-children -s symbol -F overhead,symbol --stdio 2> /dev/null |
		sed 's/ *- *- *$//' > "$work/perf.txt"
	expect 0 "$HOTPATH" run --cpu --format json -o "$work/hottest.json" -- "$@"
	python3 "$here/../oracle/hottest.py" "$work/perf.txt" "$work/hottest.json" > "$work/faults" ||
		fail "$*: $(cat "$work/faults")"
}
