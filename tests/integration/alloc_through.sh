#!/bin/sh
# SPDX-License-Identifier: MIT
# Allocations are shown for the function that wanted them, not for the wrappers that it called.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"
. "$(dirname "$0")/alloc_common.sh"
instrumented="-std=gnu11 -D_GNU_SOURCE -w -g -fno-builtin -fno-omit-frame-pointer"
others='["copy_line",16,1],["load_names",320,10],["load_sizes",4000,4],'

# rows_are EXPECTED: the functions of the alloc rows, with bytes and blocks.
rows_are()
{
	holds "[.functions_alloc.data[] | select(.bytes > 0) | [.name, .bytes, .count]] | sort == ([$1] | sort)"
}

for compiler in $compilers; do
	build "$compiler" -O1 alloc_through.c
	allocating live
	rows_are "$others"'["pool_take",20480,5],["use_and_free",100000,1]'
	holds '[.memory_live.data[] | select(.name == "load_names") | [.bytes, .blocks, .location]] |
		length == 1 and .[0][0:2] == [320, 10] and (.[0][2] | test("alloc_through.c:[0-9]+$"))'

	what="$built: --through"
	limited "$HOTPATH" run --no-cpu --alloc --through pool_take --format json --limit 0 --stacks 1 \
		-o "$work/report" -- "$program"
	rows_are "$others"'["fill_pool",20480,5],["use_and_free",100000,1]'
	holds '.memory_live.data[] | select(.name == "fill_pool") | .stacks | length == 1 and
		([.[0].frames[0:3][].name] == ["pool_take", "fill_pool", "main"]) and
		(.[0].frames[1].location | test("alloc_through.c:[0-9]+$"))'

	what="$built: HOTPATH_THROUGH, of a report that was saved"
	limited "$HOTPATH" run --no-cpu --alloc --format json --limit 0 -o "$work/saved.json" -- "$program"
	HOTPATH_THROUGH='x*, pool_*' "$HOTPATH" report --format json --limit 0 "$work/saved.json" > "$work/report"
	rows_are "$others"'["fill_pool",20480,5],["use_and_free",100000,1]'
done

what="a process of a run that was saved"
"$HOTPATH" run --no-cpu --alloc --format none --save "$work/run.json" sh -c "'$program'; '$program'" > "$work/log" 2>&1 ||
	fail "$what: $(cat "$work/log")"
"$HOTPATH" report --through 'x*,pool_*' --format json --limit 0 --process "${program##*/}" "$work/run.json" > "$work/report"
holds '[.functions_alloc.data[] | select(.name == "fill_pool")] | length == 1'

what="callers"
"$HOTPATH" report --callers xmalloc --format json "$work/saved.json" > "$work/report"
holds '.name == "xmalloc" and .allocations.bytes == 104320 and .allocations.blocks == 15 and
	[.allocations.callers[] | [.name, .bytes, .blocks, .live_bytes]] ==
	[["use_and_free", 100000, 1, 0], ["load_sizes", 4000, 4, 4000], ["xstrdup", 320, 10, 320]]'
"$HOTPATH" report --callees load_names --format json "$work/saved.json" > "$work/report"
holds '[.allocations.callees[] | [.name, .bytes]] == [["xstrdup", 320]]'
refuse 1 "no function is named 'xmaloc'; did you mean 'xmalloc'?" "$HOTPATH" report --callers xmaloc "$work/saved.json"

what="a table"
COLUMNS=80 "$HOTPATH" report --report live --stacks 1 "$work/saved.json" > "$work/table"
grep -q '^load_names, .*alloc_through.c:[0-9]*:$' "$work/table" || fail "$what: $(cat "$work/table")"
grep -q '^    xstrdup  *alloc_through.c:[0-9]*$' "$work/table" || fail "$what: $(cat "$work/table")"
[ "$(wc -L < "$work/table")" -le 80 ] || fail "$what: it is wider than 80 columns"
refuse 2 "--stacks: 'some' is not a number of stacks" "$HOTPATH" report --stacks some "$work/saved.json"

exit "$failed"
