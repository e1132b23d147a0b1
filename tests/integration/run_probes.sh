#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath run --probes puts probes before the libraries that they observe; where it cannot, one line says why, and the
# program runs all the same.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD

cat > "$work/program.c" << 'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	const char *value = getenv("LD_PRELOAD");

	printf("%s\n", value ? value : "nothing");
	return 3;
}
END
cd "$work"
gcc program.c -o program

# The tool as it lies in a build, beside libraries that do nothing; and without the probe.
mkdir -p tree/cli tree/library tree/probes/uv tree/probes/alloc half/cli half/library
echo 'int nothing_at_all;' > library.c
gcc -shared library.c -o tree/library/libhotpath.so
for library in probes/uv/libhotpath-uv.so probes/alloc/libhotpath-alloc.so; do
	cp tree/library/libhotpath.so "tree/$library"
done
cp tree/library/libhotpath.so half/library/
for copy in tree half; do
	cp "$HOTPATH" "$copy/cli/hotpath"
done
tool=$work/tree/cli/hotpath
recorder=$work/tree/library/libhotpath.so
probe=$work/tree/probes/uv/libhotpath-uv.so

# run TOOL ARGUMENT...: the program's own output and status, and no report.
run()
{
	run_by=$1
	shift
	expect 3 "$run_by" run --format none "$@"
}

# told TEXT: in one line.
told()
{
	[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
	says "$1" stderr
}

run "$tool" --probes=uv ./program
quiet stderr
same "$probe:$recorder" stdout
run "$tool" --probes uv,uv ./program
same "$probe:$recorder" stdout
# What sees allocations is before all others.
run "$tool" --probes uv --alloc ./program
quiet stderr
same "$work/tree/probes/alloc/libhotpath-alloc.so:$probe:$recorder" stdout
run "$tool" ./program
same "$recorder" stdout

for list in nothing uv,nothing nothing,uv; do
	refuse 2 "unknown probe 'nothing'; choose from " "$tool" run "--probes=$list" touch ran
done
for list in '' ',' 'uv,' ',uv'; do
	refuse 2 "unknown probe ''; choose from " "$tool" run "--probes=$list" touch ran
done
[ ! -e ran ] || fail 'a program was run with no probe'

gcc -static program.c -o static
run "$tool" --probes=uv ./static
told "cannot record calls to libuv of './static': it is statically linked"
run "$work/half/cli/hotpath" --probes=uv ./program
told 'libhotpath-uv.so was not found'
same "$work/half/library/libhotpath.so" stdout

exit "$failed"
