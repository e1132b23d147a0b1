#!/bin/sh
# SPDX-License-Identifier: MIT
# A segment of a few pages that says it is gigabytes takes no gigabytes to read; one that says more is damaged.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > /dev/null
segment=$(ls "$HOTPATH_DIR"/*.seg)
expect 0 "$HOTPATH" report "$segment"
cp "$work/stdout" "$work/report"

# claim BYTES: a copy of the segment that is so large, and says that all of it is used.
claim()
{
	cp "$segment" "$work/sparse.seg"
	truncate -s "$1" "$work/sparse.seg" || {
		echo 'skipped: a file may not be so large here'
		exit 77
	}
	python3 -c '
import struct, sys
with open(sys.argv[1], "r+b") as file:
    # How much is used, in the header.
    file.seek(32)
    file.write(struct.pack("=Q", int(sys.argv[2])))' "$work/sparse.seg" "$1"
}

# peak COMMAND...: the memory that it takes at most, in KB.
peak() { python3 -c '
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }

gigabytes=4294967296
claim "$gigabytes"
expect 0 "$HOTPATH" report "$work/sparse.seg"
cmp -s "$work/report" "$work/stdout" || fail 'another report'
usual=$(peak "$HOTPATH" report "$segment")
takes=$(peak "$HOTPATH" report "$work/sparse.seg")
echo "usual: $usual KB, with 4 GiB of holes: $takes KB"
[ "$takes" -lt $((usual + 100000)) ] || fail "it takes $takes KB, usually $usual KB"

for words in report 'export --format folded -o -' 'top --once'; do
	claim $((gigabytes + 4096))
	# shellcheck disable=SC2086
	refuse 2 "$work/sparse.seg: its header is damaged" "$HOTPATH" $words "$work/sparse.seg"
done

exit "$failed"
