#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the targets of fuzzing from source with clang, and makes their seeds; nothing is done where no source is newer.
#
# usage: tests/fuzz/build.sh FOLDER
set -eu

build=${1:?usage: tests/fuzz/build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fuzz/targets.sh
. "$here/targets.sh"
# shellcheck source=tests/sources.sh
. "$here/../sources.sh"
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR

newer() { find "$root/src" "$root/include" "$here" -newer "$build/built" -print -quit; }
if [ -e "$build/built" ] && [ -z "$(newer)" ]; then
	exit 0
fi
if ! command -v clang > /dev/null || ! pkg-config --exists json-c; then
	echo 'skipped: fuzzing needs clang and json-c'
	exit 77
fi

read -ra json_flags < <(pkg-config --cflags json-c)
read -ra json < <(pkg-config --libs json-c)
mapfile -t includes < <(include_options segment elf recorder kinds reader views shared compare metrics mcp server cli)
flags=(-std=gnu11 -gline-tables-only -O1 -fno-omit-frame-pointer -D_GNU_SOURCE -DHOTPATH_ENABLE=1 -DHOTPATH_SHARED=0
	-fno-sanitize-recover=all "${includes[@]}" "${json_flags[@]}")
sanitizers=address,undefined,float-cast-overflow

# compile FOLDER OPTION < SOURCES
compile() { "$here/../objects.py" "$build/$1" clang "${flags[@]}" "$2"; }

mkdir -p "$build"
rm -rf "$build/built" "$build/seeds"
# New paths are looked for in what reads; whatever writes texts would only slow that down. The recorder is
# there for the seeds.
{
	sources_in segment elf kinds reader
	printf '%s\n' "$root"/src/server/{access,query}.c
	printf '%s\n' "$here"/fuzz_*.c
} | compile fuzzed "-fsanitize=fuzzer-no-link,$sanitizers"
sources_in mcp | compile answers "-fsanitize=fuzzer-no-link,$sanitizers"
{
	sources_in shared views compare metrics
	printf '%s\n' "$root"/src/cli/{calls,listing}.c
} | compile checked "-fsanitize=$sanitizers"
{
	sources_in recorder
	printf '%s\n' "$root"/src/library/{kind,report_host,report_static,self_report}.c "$here/seed.c"
} | compile plain -fno-sanitize=all
readers=("$build"/fuzzed/src_*.o "$build"/checked/src_*.o)
clang "-fsanitize=$sanitizers" "$build"/plain/*.o "${readers[@]}" "${json[@]}" -lpthread -lm -o "$build/seed"
for target in "${targets[@]}"; do
	more=()
	# What answers agents asks for lines of source, for which this target alone has something in place of libdw.
	[ "$target" != mcp ] || more=("$build"/answers/*.o)
	clang "-fsanitize=fuzzer,$sanitizers" "$build/fuzzed/tests_fuzz_fuzz_$target.c.o" "${more[@]}" "${readers[@]}" \
		"${json[@]}" -lm -o "$build/$target"
done

"$here/seeds.sh" "$build/seed" "$build/seeds"
touch "$build/built"
