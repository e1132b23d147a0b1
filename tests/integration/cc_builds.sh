#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds by make, ccache, CMake and Meson take hotpath cc for a compiler.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cc_common.sh"

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

# measurable NUMBER WHAT PROGRAM: so many of its functions have sleds, or call hooks, and the program runs.
measurable()
{
	case $how in
	--hooks) count=$(hooks "$3") ;;
	*) count=$(sleds "$3") ;;
	esac
	[ "$count" = "$1" ] || fail "$2, $compiler $how: $count functions can be measured, not $1"
	"$3" || fail "$2, $compiler $how: the program ends with $?"
}

# selected WHAT PROGRAM: only one function has sleds; or all call hooks, and the program has rules.
selected()
{
	case $how in
	--hooks) measurable 2 "$@" && { noted "$2" || fail "$1, $compiler: no rules in the program"; } ;;
	*) measurable 1 "$@" && { ! noted "$2" || fail "$1, $compiler: needless rules in the program"; } ;;
	esac
}

by_make()
{
	done_by make -s "CC=$HOTPATH cc $how $compiler" && measurable 2 make ./program
	make -s clean
	done_by make -s "CC=$HOTPATH cc $how --only 'help*' $compiler" && selected make ./program
	make -s clean
}

by_ccache()
{
	command -v ccache > /dev/null || return 0
	for _ in cold warm; do
		done_by make -s "CC=$HOTPATH cc $how ccache $compiler" && measurable 2 ccache ./program
		make -s clean
	done
}

# cmake_built OPTION...: into the folder cmake.
cmake_built()
{
	rm -rf cmake
	done_by cmake -S . -B cmake "-DCMAKE_C_COMPILER=$compiler" "$@" && done_by cmake --build cmake
}

by_cmake()
{
	launcher="$HOTPATH;cc${how:+;$how}"
	cmake_built "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_C_LINKER_LAUNCHER=$launcher" &&
		measurable 2 CMake cmake/program
	launcher="$launcher;--only;help*"
	cmake_built "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_C_LINKER_LAUNCHER=$launcher" &&
		selected CMake cmake/program
}

by_meson()
{
	rm -rf meson
	sed -i "s/'EXPECTED'\|'gcc'\|'clang'/'$compiler'/" meson.build
	CC="$HOTPATH cc $how $compiler" done_by meson setup meson && done_by ninja -C meson &&
		measurable 2 Meson meson/program
}

for compiler in gcc clang; do
	how=--hooks
	by_make
	by_ccache
	how=
	by_make
	by_ccache
	by_cmake
	by_meson
done
compiler=gcc how=--hooks
by_cmake
# Sleds are compiled in: CMake need not be told to link in a special way.
how=
cmake_built "-DCMAKE_C_COMPILER_LAUNCHER=$HOTPATH;cc;--only;help*" &&
	selected 'CMake, launcher of the compiler alone' cmake/program
# With -flto they are made by who links; whoever that is, it links.
launcher="$HOTPATH;cc;--only;help*"
for late in -DCMAKE_C_FLAGS=-flto -DCMAKE_C_FLAGS='-flto -ffat-lto-objects' -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON; do
	cmake_built "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "$late" && measurable 0 "CMake, $late" cmake/program
done
cmake_built "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_C_LINKER_LAUNCHER=$launcher" \
	-DCMAKE_C_FLAGS='-flto -ffat-lto-objects' && selected 'CMake, -flto with its launcher' cmake/program
[ ! -d "$CCACHE_DIR" ] || ccache -s | grep -qiE 'hits: +[1-9]' ||
	fail "ccache was never of use: $(ccache -s)"

# ccache does not take what was made without sleds, with other rules, or by another version of the assembler.
if command -v ccache > /dev/null; then
	mkdir -p tree/cli tree/assembler
	cp "$HOTPATH" tree/cli/
	cp "$BUILD/src/assembler/as" tree/assembler/
	for compiler in gcc clang; do
		for step in 'none 0 ' 'sleds 1 tree/cli/hotpath cc' 'rules 0 tree/cli/hotpath cc --skip helper'; do
			# shellcheck disable=SC2086
			set -- $step
			what=$1 number=$2
			shift 2
			for options in '' '-flto -ffat-lto-objects'; do
				[ "$compiler" = gcc ] || [ -z "$options" ] || continue
				# shellcheck disable=SC2086
				done_by "$@" ccache "$compiler" $options -c helper.c
				[ "$(sleds helper.o)" = "$number" ] ||
					fail "ccache, $compiler $options, $what: $(sleds helper.o) functions have sleds, not $number"
			done
		done
	done
	cat > tree/assembler/as << 'END'
#!/bin/sh
for word; do
	shift
	case $word in --hotpath*) ;; *) set -- "$@" "$word" ;; esac
done
exec as "$@"
END
	for compiler in gcc clang; do
		done_by tree/cli/hotpath cc ccache "$compiler" -c helper.c
		[ "$(sleds helper.o)" = 0 ] || fail "ccache, $compiler: what another assembler made is used"
	done
fi

exit "$failed"
