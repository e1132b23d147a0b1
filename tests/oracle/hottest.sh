# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# The hottest functions of a program, by perf and by us. Sourced, after subjects.sh.

# compare_hottest COMMAND...: run it for both; whether they agree, and if not, $work/faults has where.
compare_hottest()
{
	if ! perf record -q -e cpu-clock:u -F 999 -o "$work/perf" -- "$@" > "$work/stdout" 2> "$work/stderr"; then
		skip "perf record: $(head -n 1 "$work/stderr")"
	fi
	perf report -i "$work/perf" -q --no-children -s symbol -F overhead,symbol --stdio 2> /dev/null |
		sed 's/ *- *- *$//' > "$work/perf.txt"
	expect 0 "$HOTPATH" run --cpu --format json -o "$work/hottest.json" -- "$@"
	python3 "$here/../oracle/hottest.py" "$work/perf.txt" "$work/hottest.json" > "$work/faults"
}

# same_hottest COMMAND...: both name the same, in the same order. They look at two runs, of which one may be disturbed: three
# pairs in a row are not.
same_hottest()
{
	command -v perf > /dev/null || skip 'perf is not installed'
	for _ in 1 2 3; do
		! compare_hottest "$@" || return 0
	done
	fail "$*: $(cat "$work/faults")"
}
