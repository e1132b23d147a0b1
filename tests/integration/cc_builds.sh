#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds by make, ccache, CMake and Meson take hotpath cc for a compiler.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

export CCACHE_DIR="$work/ccache"
mkdir "$work/source"
cd "$work/source"
echo 'int helper(int n); int helper(int n) { return n + 1; }' > helper.c
echo 'int helper(int n); int main(void) { return helper(-1); }' > main.c
cat > Makefile << END
program: main.o helper.o
	\$(CC) \$(LDFLAGS) \$^ -o \$@
clean:
	rm -f program main.o helper.o
END
cat > CMakeLists.txt << END
cmake_minimum_required(VERSION 3.21)
project(program C)
add_library(helper STATIC helper.c)
add_executable(program main.c)
target_link_libraries(program helper)
END
cat > meson.build << END
project('program', 'c', default_options: ['warning_level=2', 'werror=true'])
cc = meson.get_compiler('c')
assert(cc.get_id() == 'EXPECTED', cc.get_id())
executable('program', 'main.c', 'helper.c', dependencies: dependency('threads'))
END

# done_by COMMAND...: its output is shown when it fails.
done_by()
{
	"$@" > "$work/log" 2>&1 || { fail "'$*': $(cat "$work/log")" && return 1; }
	! grep -q '^hotpath:' "$work/log" || fail "'$*' warns: $(cat "$work/log")"
}

# hooked WHAT PROGRAM: both functions are, and the program runs.
hooked()
{
	count=$(objdump -d "$2" | grep -cE '(call|bl)\s.*<__cyg_profile_func_enter@plt>') || true
	[ "$count" = 2 ] || fail "$1: $count functions are hooked, not 2"
	"$2" || fail "$1: the program ends with $?"
}
noted() { readelf -n "$2" | grep -q '^  hotpath ' || fail "$1: no rules in the program"; }

for compiler in gcc clang; do
	cc="$HOTPATH cc $compiler"

	done_by make -s "CC=$cc" && hooked "make, $compiler" ./program
	make -s clean
	done_by make -s "CC=$HOTPATH cc --only 'help*' $compiler" && noted "make, $compiler" ./program
	make -s clean

	if command -v ccache > /dev/null; then
		for _ in cold warm; do
			make -s clean
			done_by make -s "CC=$HOTPATH cc ccache $compiler" &&
				hooked "ccache, $compiler" ./program
		done
		make -s clean
	fi

	for rules in '' ';--only;help*'; do
		launcher="$HOTPATH;cc$rules"
		rm -rf cmake
		done_by cmake -S . -B cmake "-DCMAKE_C_COMPILER=$compiler" \
			"-DCMAKE_C_COMPILER_LAUNCHER=$launcher" \
			"-DCMAKE_C_LINKER_LAUNCHER=$launcher" &&
			done_by cmake --build cmake && hooked "CMake, $compiler" cmake/program
		[ -z "$rules" ] || noted "CMake, $compiler" cmake/program
	done

	sed -i "s/'EXPECTED'\|'gcc'\|'clang'/'$compiler'/" meson.build
	CC=$cc done_by meson setup "meson-$compiler" && done_by ninja -C "meson-$compiler" &&
		hooked "Meson, $compiler" "meson-$compiler/program"
done
[ ! -d "$CCACHE_DIR" ] || ccache -s | grep -qiE 'hits: +[1-9]' ||
	fail "ccache was never of use: $(ccache -s)"

exit "$failed"
