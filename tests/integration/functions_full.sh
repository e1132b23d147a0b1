#!/bin/sh
# SPDX-License-Identifier: MIT
# In a full folder the functions that are known go on being measured, the calls of the rest are counted.
#
# The folder is a small file system of its own, in a mount namespace that ends with the test.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/own_mount.sh"
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# A program of 500 functions, each of which is called 20 times.
functions=500 each=20
{
	seq "$functions" | sed 's/.*/__attribute__((noinline)) static int f&(int x) { return x + &; }/'
	echo "int main(void) { int sum = 0; for (int i = 0; i < $each; i++) {"
	seq "$functions" | sed 's/.*/sum += f&(i);/'
	echo '} return sum == 1; }'
} > "$work/many.c"
build gcc -O1 "$work/many.c"
mkdir -m 700 "$work/small"

while read -r size; do
	mount -t tmpfs -o "size=$size,mode=700" none "$work/small"
	HOTPATH_DIR=$work/small traced
	holds "([\$row[].calls] | add) + .dropped.functions == $functions * $each + 1"
	holds '.dropped | del(.functions, .branches) | all(. == 0)'
	case $size in
	4m) nothing_lost ;;
	*) holds '.dropped.functions > 0' ;;
	esac
	holds "\$row | .f1.calls == $each and .main.calls == 1"
	umount "$work/small"
done << END
4m
512k
256k
128k
END

# Room for hardly anything, or nothing: the program goes on, and there is a line about it at most.
for size in 64k 16k 4k; do
	mount -t tmpfs -o "size=$size,mode=700" none "$work/small"
	HOTPATH_DIR=$work/small expect 0 "$HOTPATH" run --format json --output-path "$work/report" -- "$program"
	! grep -v '^hotpath: cannot keep a segment in' "$work/stderr" || fail "$size: says more"
	[ "$(wc -l < "$work/stderr")" -le 1 ] || fail "$size: $(cat "$work/stderr")"
	quiet "$work/stdout"
	umount "$work/small"
done

exit "$failed"
