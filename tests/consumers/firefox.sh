#!/bin/sh
# SPDX-License-Identifier: MIT
# The Firefox Profiler reads what is exported for it: the same functions, threads and categories.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs jq
needs_module @firefox-devtools/profiler-cli
cli() { "$node" "$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@" 2>> "$work/stderr"; }
on_exit='cli stop --all > /dev/null'

# load FILE. Its server has half a second to start, which is not enough on a busy machine; then it is tried again.
load()
{
	for attempt in 1 2 3 4 5; do
		cli stop --all > /dev/null || true
		: > "$work/stderr"
		! cli load "$1" > "$work/loaded" || return 0
		late=$(sed -n 's/.* still be running as pid \([0-9]*\)\..*/\1/p' "$work/stderr")
		[ -n "$late" ] || break
		kill "$late" 2> /dev/null || true
	done
	fail "it is not read, in attempt $attempt: $(cat "$work/loaded" "$work/stderr")"
}

# top THREAD: "self name" of the functions of a thread, the most first.
top()
{
	cli thread functions --json --thread "$1" |
		jq -r '.functions | map(select(.selfSamples > 0)) | sort_by(-.selfSamples)[] |
			"\(.selfSamples) \(.name | gsub("\n"; " "))"'
}

export_made firefox "$work/made.json.gz"
load "$work/made.json.gz"
top t-0 > "$work/top"
same '400 memcpy
300 parse.constprop.0
200 draw<a> & "b"; '"'c'"' ]]></script>
50 walk
10 [no stack]' "$work/top"
top t-1 > "$work/top"
same '240 render' "$work/top"
cli thread samples --thread t-0 > "$work/samples"
says 'libc.so.6!memcpy - self: 400' "$work/samples"
grep -qE 'Measured .* 300 ' "$work/samples" || fail "no category: $(cat "$work/samples")"
cli thread samples-top-down --thread t-0 > "$work/tree"
says 'made!read line' "$work/tree"

# Bytes, and times in milliseconds.
export_made firefox "$work/alloc.json.gz" alloc
load "$work/alloc.json.gz"
top t-0 > "$work/top"
same '1000000 render
500000 parse.constprop.0
100 [no stack]
24 walk' "$work/top"
export_made firefox "$work/live.json.gz" live
load "$work/live.json.gz"
top t-0 > "$work/top"
same '200000 parse.constprop.0
24 walk' "$work/top"
export_made firefox "$work/time.json.gz" time
load "$work/time.json.gz"
top t-0 > "$work/top"
same '5 read line
4 parse
3 <other>' "$work/top"

# A program that was really run: the threads together, of which one may have a sample in a function of the other.
record
"$HOTPATH" export --format firefox -o "$work/samples.json.gz"
load "$work/samples.json.gz"
for thread in t-0 t-1; do
	cli thread functions --json --thread "$thread" |
		jq -r '.functions[] | "\(.selfSamples) \(.totalSamples) \(.name)"'
done | awk '{ self[$3 " " $4] += $1; total[$3 " " $4] += $2 }
	END { for (name in total) print self[name], total[name], name }' | sed 's/ *$//' | by_name > "$work/top"
compare "$work/top"

# Stacks of waits, in milliseconds.
record_waits
"$HOTPATH" export --what waits --format firefox -o "$work/waits.json.gz"
load "$work/waits.json.gz"
cli thread functions --json --thread t-0 |
	jq -r '.functions[] | "\(.selfSamples * 1e6 | round) \(.totalSamples * 1e6 | round) \(.name)"' | by_name > "$work/top"
compare "$work/top"
cli thread samples --thread t-0 > "$work/samples"
says 'Waiting' "$work/samples"

# The consumer refuses a file of nothing: so it proves something that it reads the others.
echo '{"meta":{}}' > "$work/bad.json"
cli stop --all > /dev/null
cli load "$work/bad.json" > /dev/null && fail "a file of nothing is read"

exit "$failed"
