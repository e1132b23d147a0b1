#!/bin/sh
# SPDX-License-Identifier: MIT
# What is measured before the recorder's own constructor, or before its handler of a fork, costs no samples.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
unset HOTPATH_CPU HOTPATH_CPU_RATE HOTPATH_CPU_SOURCE HOTPATH_SHUTDOWN_MS
cd "$root/tests/programs"

# library NAME OPTION...: the program with its library, built so, is $work/NAME.
library()
{
	name=$1
	shift
	gcc -O1 -D_GNU_SOURCE -fPIC -shared "$@" early_library.c -o "$work/lib$name.so" -pthread
	gcc -O1 -D_GNU_SOURCE early.c -o "$work/$name" -L "$work" -Wl,-rpath,"$work" -l"$name"
}
library plain
library measured -finstrument-functions '-finstrument-functions-exclude-function-list=_ns'

# try OPTION PROGRAM: it alone, and its children; with what happened before main.
try()
{
	run_options=$1 program=$2
	for way in alone:1 fork:2 again:3 raw:2; do
		what="$source $run_options $way"
		sampled "$source" "$program" "${way%:*}"
		each_has "${way#*:}"
	done
}

for source in $sources; do
	try --alloc "$work/plain"
	try --tree "$work/measured"
	holds '.functions_cpu.data[] | select(.name == "early_begins").inclusive_samples / 300 |
		if . > 0.28 then true else ., false end'
	try --alloc "$work/measured"
done

run_options=--alloc
if command -v g++ > /dev/null; then
	g++ -O1 -D_GNU_SOURCE early_cpp.cpp -o "$work/cpp"
	for source in $sources; do
		what="$source C++"
		sampled "$source" "$work/cpp"
		each_has 1
	done
fi

# Such a program is ended, too, when that was asked for.
export HOTPATH_SHUTDOWN_MS=200
for program in plain measured cpp; do
	[ -x "$work/$program" ] || continue
	sampled timer "$work/$program" wait
	holds '.functions_cpu.total_samples > 0'
done

exit "$failed"
