#!/bin/sh
# SPDX-License-Identifier: MIT
# In a full folder what is known goes on being measured, the rest is counted: never a SIGBUS.
#
# The folder is a small file system of its own, in a mount namespace that ends with the test.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/own_mount.sh"
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"
. "$(dirname "$0")/unharmed.sh"

program() { "$many" "$functions" "$each" 5; }

# full SIZE [LEFT]: a folder of this size; or one that others have filled but for so many bytes.
full()
{
	what="a folder of $1${2+, $2 bytes left}"
	folder=$work/full$1${2-}
	mkdir -m 700 "$folder"
	mount -t tmpfs -o "size=$1,mode=700" none "$folder"
	export HOTPATH_DIR="$folder"
	if [ $# = 2 ]; then
		dd if=/dev/zero of="$folder/others" bs=4096 2> /dev/null || true
		truncate -s "-$2" "$folder/others"
	fi
	unharmed "$what" program
}

# shown NAME: its number of calls in the report.
shown() { jq "[.functions_timing.data[] | select(.name == \"$1\").calls][0] // 0" "$report"; }

# Room for some functions. The first are measured to the end, the last are not.
for size in 256k 128k; do
	full "$size"
	all_accounted_for
	[ "$(shown f0)" = "$each" ] || fail "$what: the first function has $(shown f0) calls"
	[ "$(shown f499)" = 0 ] || fail "$what: it is not full"
	jq -e '.dropped.functions + .dropped.sites > 0' "$report" > "$work/answer" || fail "$what: nothing dropped"

	# The tool says the same, of the segment that is left.
	"$HOTPATH" report --format json --limit 0 > "$work/later"
	[ "$(jq -S .dropped "$work/later")" = "$(jq -S .dropped "$report")" ] || fail "$what: two reports"
	"$HOTPATH" report --format table > "$work/table"
	grep -q '^hotpath: [0-9]* .*: the segment is full$' "$work/table" || fail "$what: nothing said"
	umount "$folder"
done

# Threads come and go there as well.
for size in 256k 64k; do
	folder=$work/threads$size
	mkdir -m 700 "$folder"
	mount -t tmpfs -o "size=$size,mode=700" none "$folder"
	HOTPATH_DIR=$folder expect 7 "$BUILD/tests/reliability/killed" run "$work/counts" exit
	quiet "$work/stderr"
	quiet "$work/stdout"
	umount "$folder"
done

# Room for hardly anything, or nothing: memory takes its place, or all is counted; there is a report.
for size in 64k 32k 16k 8k 4k; do
	full "$size"
	all_accounted_for
	umount "$folder"
done

# Filled by somebody else.
for left in 0 4096 8192 40000 100000; do
	full 1m "$left"
	all_accounted_for
	umount "$folder"
done

exit "$failed"
