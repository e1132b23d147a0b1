#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath export: what it is told to write, where that goes, and what it says when it cannot.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

refuse 2 "did you mean 'flamegraph'" "$HOTPATH" export --format flamgraph
refuse 2 "unknown format 'xyz'" "$HOTPATH" export --format xyz
refuse 2 "needs a value" "$HOTPATH" export --format
refuse 2 "export: --what: 'memory' is not cpu, alloc, live, waits or time" "$HOTPATH" export --what memory
refuse 2 "a: No such file or directory" "$HOTPATH" export a b
refuse 1 'no segments in' "$HOTPATH" export
refuse 1 'no segment of process 1' "$HOTPATH" export 1
refuse 2 'No such file' "$HOTPATH" export "$work/none"

# Nothing was sampled, and nothing else of what there is to export was recorded.
HOTPATH_OUTPUT_FORMAT=none HOTPATH_TREE=0 "$BUILD/tests/programs/call_tree" > /dev/null
refuse 1 "has no samples; take them with 'hotpath run PROGRAM'" "$HOTPATH" export
refuse 1 'has no samples' "$HOTPATH" export -o "$work/file"
refuse 1 "has no stacks of allocations; record them with 'hotpath run --alloc PROGRAM'" "$HOTPATH" export --what alloc
refuse 1 "has no stacks of blocks that were not freed; record them with 'hotpath run --alloc=live PROGRAM'" \
	"$HOTPATH" export --what live
refuse 1 "has no stacks of waits; record them with 'hotpath run --waits PROGRAM'" "$HOTPATH" export --what waits
refuse 1 "has no call tree; build the program with 'hotpath cc', or mark functions with HOTPATH_MEASURE()" \
	"$HOTPATH" export --what time -o "$work/file"
[ ! -e "$work/file" ] || fail "a file of nothing"

# A saved report is exported as if it were a segment.
made=$BUILD/tests/programs/made_profile
"$made" saved > "$work/saved.json"
for format in flamegraph firefox pprof speedscope folded; do
	"$made" "$format" > "$work/wanted"
	expect 0 "$HOTPATH" export --format "$format" -o - "$work/saved.json"
	quiet "$work/stderr"
	cmp "$work/wanted" "$work/stdout" || fail "$format of a saved report is another"
	for what in alloc live time; do
		"$made" "$format" "$what" > "$work/wanted"
		expect 0 "$HOTPATH" export --what "$what" --format "$format" -o - "$work/saved.json"
		cmp "$work/wanted" "$work/stdout" || fail "$what as $format of a saved report is another"
	done
done
sed 's/"live_\(bytes\|blocks\)":[0-9]*/"live_\1":0/g' "$work/saved.json" > "$work/freed.json"
refuse 1 'has no blocks that were not freed' "$HOTPATH" export --what live -o "$work/file" "$work/freed.json"
[ ! -e "$work/file" ] || fail "a file of what was freed"

# Without -o, all formats have the same file name but for the extension.
mkdir "$work/here"
cd "$work/here"
for format in flamegraph.svg firefox.firefox.json.gz pprof.pb.gz speedscope.speedscope.json folded.folded; do
	name=hotpath-made-4711.${format#*.}
	expect 0 "$HOTPATH" export --format "${format%%.*}" "$work/saved.json"
	quiet "$work/stdout"
	same "hotpath: wrote $name" "$work/stderr"
	"$made" "${format%%.*}" | cmp - "$name" || fail "$name"
done
rm -f ./*
for what in alloc live time; do
	expect 0 "$HOTPATH" export --what "$what" "$work/saved.json"
	same "hotpath: wrote hotpath-made-4711-$what.svg" "$work/stderr"
done
rm -f ./*
expect 0 "$HOTPATH" export "$work/saved.json"
[ "$(ls)" = hotpath-made-4711.svg ] || fail "the default is: $(ls)"

# Nothing half-written is left, and what was there is still there.
refuse 2 'No space left' "$HOTPATH" export -o /dev/full "$work/saved.json"
refuse 2 'No such file' "$HOTPATH" export -o "$work/none/file" "$work/saved.json"
echo before > kept
(
	trap '' XFSZ
	ulimit -f 1
	refuse 2 'File too large' "$HOTPATH" export -o kept "$work/saved.json"
	exit "$failed"
) || failed=1
same before kept
[ "$(echo ./*)" = './hotpath-made-4711.svg ./kept' ] || fail "left: $(echo ./*)"

exit "$failed"
