# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016,SC2034,SC2154
# What the tests of allocations share: run a program, and compare what it allocated with what it knows.
#
# Sourced after functions_common.sh, or expect.sh where no program is built. A program prints lines of JSON:
# "alloc", "live" or "balanced" has the name of a function, whatever else is in the line is as in its row of
# the report; "dropped" that of a counter, and all others are 0. What main allocates besides is the affair of
# the C library, and what is in a namespace that of the C++ library.

# allocating MODE ARGUMENT...: the program, under the tool. Leaves $work/truth and $work/report.
allocating()
{
	mode=$1
	shift
	what="$built: hotpath run --alloc=$mode $(basename "$program") $*"
	rm -f "$work/report"
	limited "$HOTPATH" run --each --no-cpu "--alloc=$mode" --format json --limit 0 -o "$work/report" -- "$program" "$@"
}

# What is not so: of each line that the mode knows of, what it says and what is reported.
not_so='(.functions_alloc.data // [] | map({(.name): .}) | add // {}) as $row |
	(.memory_live.data // [] | group_by(.name) | map({(.[0].name): {bytes: map(.bytes) | add,
		blocks: map(.blocks) | add}}) | add // {}) as $live |
	(.functions_alloc.mode // "none") as $mode |
	({live: [], freed: ["freed_bytes", "temporary_count"]}[$mode] //
		["freed_bytes", "freed_count", "temporary_count"]) as $unknown |
	.dropped as $dropped | ($truth | map(select(.dropped) | {(.dropped): .count}) | add // {}) as $lost |
	($dropped | with_entries(select(.value != ($lost[.key] // 0))) | select(. != {}) | {dropped: .}),
	($truth[] | select(.dropped | not) | select($mode == "live" or .alloc) |
		(if .alloc then $row[.alloc] elif .live then $live[.live] // {bytes: 0, blocks: 0}
		else $row[.balanced] | {count: (.count > 0), bytes: (.bytes - .freed_bytes),
			blocks: (.count - .freed_count)} end) as $found |
		(if .balanced then {count: true, bytes: 0, blocks: 0} else del(.pid, .alloc, .live) end |
			delpaths($unknown | map([.]))) as $wanted |
		select($wanted != {} and ($found // {}) * $wanted != $found) |
		{true: ., reported: ($found // {} | del(.location))}),
	($row[] | select(.count > 0 and .name != "main" and .caller != true and
		(.name | test("::") or IN($truth[] | .alloc, .live, .balanced) | not)) | {not_true: .name, count})'

# allocates: all that the program says is so, and no other function allocates.
allocates()
{
	[ -z "$broken" ] || return 0
	grep '^{' "$work/truth" > "$work/lines" || fail "$what: says nothing"
	jq -c --slurpfile truth "$work/lines" "$not_so" "$work/report" > "$work/not_so"
	[ ! -s "$work/not_so" ] || fail "$what: $(head -n 5 "$work/not_so")"
	[ "$(jq .dropped.lost_blocks "$work/report")" != 0 ] || rows_add_up
}

# each_allocates: the same of several processes, each with a report of its own.
each_allocates()
{
	[ -z "$broken" ] || return 0
	mv "$work/report" "$work/reports"
	mv "$work/truth" "$work/truths"
	grep '^{' "$work/truths" | jq .pid | sort -u > "$work/expected"
	jq .pid "$work/reports" | sort > "$work/actual"
	cmp -s "$work/expected" "$work/actual" ||
		fail "$what: $(wc -l < "$work/actual") reports, of $(wc -l < "$work/expected") processes"
	while read -r pid; do
		jq -c "select(.pid == $pid)" "$work/reports" > "$work/report"
		grep '^{' "$work/truths" | jq -c "select(.pid == $pid)" > "$work/truth"
		allocates
	done < "$work/expected"
}

# rows_add_up: the rows of functions, call sites and threads are all there is, and say the same. What is
# freed but not followed is in bytes as the allocator rounds them, and so is all that threads have.
rows_add_up()
{
	jq -c '(.functions_alloc | [[.data | map(.bytes), map(.count), map(.freed_bytes // 0),
			map(.freed_count // 0) | add // 0],
			[.total_bytes, .total_blocks, .freed_bytes // 0, .freed_blocks // 0]]),
		(.threads | [[.data + [.ended] | map(.allocated_bytes), map(.freed_bytes // 0) | add // 0],
			[.allocated_bytes, .freed_bytes // 0]]),
		(select(.functions_alloc.mode != "freed") |
			[.functions_alloc.total_bytes, .threads.allocated_bytes]),
		(select(.memory_live) | [[.memory_live.data | map(.bytes), map(.blocks) | add // 0],
			(.memory_live | [.live_bytes, .live_blocks])],
			[.threads.difference_bytes, .memory_live.live_bytes],
			[(.functions_alloc | [.total_bytes - .freed_bytes, .total_blocks - .freed_blocks]),
			(.memory_live | [.live_bytes, .live_blocks])]) |
		select(.[0] != .[1])' "$work/report" > "$work/not_so"
	[ ! -s "$work/not_so" ] || fail "${what-}: rows do not add up: $(cat "$work/not_so")
		$(jq -c '(.functions_alloc, .memory_live, .threads) | del(.data)' "$work/report")"
}
