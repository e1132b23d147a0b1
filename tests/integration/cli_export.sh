#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath export: what it is told to write, where that goes, and what it says when it cannot.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

refuse 2 "did you mean 'flamegraph'" "$HOTPATH" export --format flamgraph
refuse 2 "unknown format 'xyz'" "$HOTPATH" export --format xyz
refuse 2 "needs a value" "$HOTPATH" export --format
refuse 2 "unexpected argument" "$HOTPATH" export a b
refuse 1 'no segments in' "$HOTPATH" export
refuse 1 'no segment of process 1' "$HOTPATH" export 1
refuse 2 'No such file' "$HOTPATH" export "$work/none"

# Nothing was sampled.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/overview" > /dev/null
refuse 1 "has no samples; take them with 'hotpath run --cpu PROGRAM'" "$HOTPATH" export
refuse 1 'has no samples' "$HOTPATH" export -o "$work/file"
[ ! -e "$work/file" ] || fail "a file of nothing"

# What was saved is exported as if it were a segment.
made=$BUILD/tests/programs/made_profile
"$made" saved > "$work/saved.json"
for format in flamegraph firefox pprof speedscope folded; do
	"$made" "$format" > "$work/wanted"
	expect 0 "$HOTPATH" export --format "$format" -o - "$work/saved.json"
	quiet "$work/stderr"
	cmp "$work/wanted" "$work/stdout" || fail "$format of a saved report is another"
done

# Without -o it has a name of its own, the same for all.
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
