#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzzes whatever reads what may come from anyone: segments, saved reports and programs.
#
# usage: tests/fuzz/run.sh SECONDS [FOLDER]
#
# Builds the targets from source with clang, in FOLDER or in one that is removed; replays the inputs that
# once failed (regression/TARGET/*), then fuzzes with all targets at once for so many seconds. An input that
# fails is left in the current folder as failed-TARGET-*, to be fixed and put under regression/.
set -eu

seconds=${1:?usage: tests/fuzz/run.sh SECONDS [FOLDER]}
here=$(cd "$(dirname "$0")" && pwd)
src=$here/../../src
build=${2-}
if [ -z "$build" ]; then
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
fi
targets=(segment segment_fields saved compare elf)

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
# New paths are looked for in what reads; whatever writes texts would only slow that down. The recorder is
# there for the seeds.
mapfile -t reading < <(find "$src"/{segment,elf,reader} -name '*.c' ! -name lines.c ! -name dwarf_file.c \
	! -name scopes.c ! -name symbols.c ! -name inlined.c)
compile "-fsanitize=fuzzer-no-link,$sanitizers" "${reading[@]}" "$here"/fuzz_*.c
compile "-fsanitize=$sanitizers" "$src"/{shared,views,compare}/*.c "$src"/cli/{calls,listing}.c
compile -fno-sanitize=all "$src"/{recorder,library}/*.c "$here/seed.c"
readers=("$build"/{segment,elf,shared,reader,views,compare,cli}_*.o)
clang "-fsanitize=$sanitizers" "$build/fuzz_seed.c.o" "${readers[@]}" "$build"/recorder_*.o \
	"$build"/library_*.o "${json[@]}" -lpthread -lm -o "$build/seed"
for target in "${targets[@]}"; do
	clang "-fsanitize=fuzzer,$sanitizers" "$build/fuzz_fuzz_$target.c.o" "${readers[@]}" "${json[@]}" \
		-lm -o "$build/$target"
done

# libFuzzer looks for leaks itself, where memory was taken and not given back; once more at the end of each
# process takes seconds.
export ASAN_OPTIONS=abort_on_error=0:allocator_may_return_null=0:leak_check_at_exit=0
export UBSAN_OPTIONS=print_stacktrace=1
"$here/seeds.sh" "$build/seed" "$build/seeds"

failed=0
for target in "${targets[@]}"; do
	for input in "$here/regression/$target"/*; do
		[ -e "$input" ] || continue
		"$build/$target" "$input" > "$build/log" 2>&1 && continue
		tail -40 "$build/log"
		echo "FAILED: $input fails again"
		failed=1
	done
done

# fuzz TARGET OPTION...: for the whole time; what it says is shown when it fails.
fuzz()
{
	local target=$1
	shift
	"$build/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 \
		-print_final_stats=1 -artifact_prefix="failed-$target-" "$@" "$build/seeds/$target" \
		> "$build/$target.log" 2>&1
}

fuzz segment -max_len=131072 -len_control=0 &
segment=$!
fuzz segment_fields -max_len=256 &
fields=$!
fuzz saved -max_len=16384 "-dict=$here/saved.dict" &
saved=$!
fuzz compare -max_len=32768 "-dict=$here/saved.dict" &
compare=$!
fuzz elf -max_len=16384 &
elf=$!
for running in "segment $segment" "segment_fields $fields" "saved $saved" "compare $compare" "elf $elf"; do
	target=${running% *}
	if ! wait "${running#* }"; then
		grep -v -e '^#[0-9]*.*\(NEW\|REDUCE\|pulse\)' "$build/$target.log" | tail -60
		echo "FAILED: fuzz_$target"
		failed=1
	fi
	grep -e number_of_executed_units -e new_units_added "$build/$target.log" |
		sed "s/^stat::/fuzz_$target: /" || true
done
exit "$failed"
