#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the targets of fuzzing from source with clang, and makes their seeds; nothing is done where no source is newer.
#
# usage: tests/fuzz/build.sh FOLDER
set -eu

build=${1:?usage: tests/fuzz/build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
src=$here/../../src
# shellcheck source=tests/fuzz/targets.sh
. "$here/targets.sh"

newer() { find "$src" "$here" "$here/../../include" -newer "$build/built" -print -quit; }
if [ -e "$build/built" ] && [ -z "$(newer)" ]; then
	exit 0
fi
if ! command -v clang > /dev/null || ! pkg-config --exists json-c; then
	echo 'skipped: fuzzing needs clang and json-c'
	exit 77
fi

flags=(-std=gnu11 -gline-tables-only -O1 -fno-omit-frame-pointer -D_GNU_SOURCE -DHOTPATH_ENABLE=1 -DHOTPATH_SHARED=0
	-fno-sanitize-recover=all "-I$here/../../include")
for folder in segment elf recorder reader views shared compare cli; do
	flags+=("-I$src/$folder")
done
read -ra json < <(pkg-config --cflags --libs json-c)
sanitizers=address,undefined,float-cast-overflow

# compile OPTION SOURCE...: each into the build folder, two at a time.
compile()
{
	local option=$1
	shift
	printf '%s\n' "$@" | xargs -P 2 -I '{}' sh -c '
		source=$1 build=$2
		shift 2
		exec clang "$@" -c "$source" -o "$build/$(echo "$source" | sed "s,.*/\([^/]*\)/,\1_,").o"' \
		compile '{}' "$build" "${flags[@]}" "$option" "${json[@]}" -Wno-unused-command-line-argument
}

mkdir -p "$build"
rm -rf "$build/built" "$build/seeds" "$build"/*.o
# New paths are looked for in what reads; whatever writes texts would only slow that down. The recorder is
# there for the seeds.
mapfile -t reading < <(find "$src"/{segment,elf,reader} -name '*.c' ! -name lines.c ! -name dwarf_file.c \
	! -name scopes.c ! -name symbols.c ! -name inlined.c)
compile "-fsanitize=fuzzer-no-link,$sanitizers" "${reading[@]}" "$here"/fuzz_*.c
compile "-fsanitize=$sanitizers" "$src"/{shared,views,compare}/*.c "$src"/cli/{calls,listing}.c
compile -fno-sanitize=all "$src"/recorder/*.c "$src"/library/{kind,report_host,report_static,self_report}.c "$here/seed.c"
readers=("$build"/{segment,elf,shared,reader,views,compare,cli}_*.o)
clang "-fsanitize=$sanitizers" "$build/fuzz_seed.c.o" "${readers[@]}" "$build"/recorder_*.o \
	"$build"/library_*.o "${json[@]}" -lpthread -lm -o "$build/seed"
for target in "${targets[@]}"; do
	clang "-fsanitize=fuzzer,$sanitizers" "$build/fuzz_fuzz_$target.c.o" "${readers[@]}" "${json[@]}" \
		-lm -o "$build/$target"
done

"$here/seeds.sh" "$build/seed" "$build/seeds"
touch "$build/built"
