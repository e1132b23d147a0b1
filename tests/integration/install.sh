#!/bin/sh
# SPDX-License-Identifier: MIT
# What is installed serves a program: by pkg-config, shared and static, by CMake, and by hotpath cc; with the
# probe for allocations, too.
#
# usage: install.sh BUILD
set -eu

build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/segments"
export HOTPATH_DIR="$work/segments"
failed=0

# A library with a sanitizer in it is for the tests alone.
"$source/tools/configured.py" "$build" b_sanitize none || exit 77

fail()
{
	echo "FAILED: $*"
	failed=1
}

installed() { [ -e "$prefix/$1" ] || fail "$1 is not installed"; }

# runs WHAT COMMAND...: its output is untouched, and the table is on standard error.
runs()
{
	what=$1
	shift
	"$@" > "$work/stdout" 2> "$work/stderr" || fail "$what: exit status $?"
	[ "$(cat "$work/stdout")" = 42 ] || fail "$what: standard output: $(cat "$work/stdout")"
	grep -q '| answer *| *1 |' "$work/stderr" || fail "$what: no table: $(cat "$work/stderr")"
}

# compile COMPILER FLAG...
compile()
{
	compiler=$1
	shift
	# shellcheck disable=SC2046
	"$compiler" -std=c99 -Wall -Wextra -pedantic -Werror "$work/program.c" -o "$work/program" \
		$(pkg-config --cflags hotpath) "$@"
}

static_libraries() { pkg-config --static --libs hotpath | sed 's/-lhotpath/-l:libhotpath.a/'; }

with_pkg_config()
{
	# shellcheck disable=SC2046
	compile "$1" $(pkg-config --libs hotpath)
	runs "$1, shared" env LD_LIBRARY_PATH="$libdir" "$work/program"
	# shellcheck disable=SC2046
	compile "$1" $(static_libraries)
	runs "$1, static library" "$work/program"
	# shellcheck disable=SC2046
	compile "$1" -static $(static_libraries)
	runs "$1, static program" "$work/program"
}

with_cmake()
{
	rm -rf "$work/cmake"
	if ! { CC=$1 cmake -S "$work" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$prefix" &&
		cmake --build "$work/cmake"; } > "$work/log" 2>&1; then
		fail "$1, CMake: $(cat "$work/log")"
		return
	fi
	runs "$1, CMake" "$work/cmake/program"
}

# allocates WHAT COMMAND...: its output is untouched, and what it allocates is in its report.
allocates()
{
	what=$1
	shift
	HOTPATH_OUTPUT_FORMAT=json "$@" > "$work/stdout" 2> "$work/stderr" || fail "$what: exit status $?"
	[ "$(cat "$work/stdout")" = 42 ] || fail "$what: standard output: $(cat "$work/stdout")"
	bytes=$(jq '.functions_alloc.data[] | select(.name == "answer").bytes' "$work/stderr") || true
	[ "$bytes" = 1042 ] || fail "$what: ${bytes:-no} bytes, not 1042: $(cat "$work/stderr")"
}

# compile_alloc COMPILER FLAG...
compile_alloc()
{
	compiler=$1
	shift
	# shellcheck disable=SC2046
	"$compiler" -Wall -Wextra -Werror "$work/alloc/program.c" -o "$work/program" \
		$(pkg-config --cflags hotpath-alloc) "$@"
}

# has_probe WHAT PROGRAM: though it does not allocate itself, and the linker leaves out what is not needed.
has_probe()
{
	readelf -d "$2" | grep -q 'NEEDED.*libhotpath-alloc\.so\.0' || fail "$1: without libhotpath-alloc"
}

# A static program needs nothing but what pkg-config says.
allocating()
{
	# shellcheck disable=SC2046
	compile_alloc "$1" -Wl,--as-needed $(pkg-config --libs hotpath-alloc)
	allocates "$1, shared probe" env LD_LIBRARY_PATH="$libdir" "$work/program"
	# shellcheck disable=SC2046
	"$1" "$work/alloc/idle.c" -o "$work/idle" -Wl,--as-needed $(pkg-config --libs hotpath-alloc)
	has_probe "$1, pkg-config" "$work/idle"
	# shellcheck disable=SC2046
	compile_alloc "$1" -static $(pkg-config --static --libs hotpath-alloc)
	allocates "$1, static probe" "$work/program"

	rm -rf "$work/cmake"
	if ! { CC=$1 cmake -S "$work/alloc" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$prefix" &&
		cmake --build "$work/cmake"; } > "$work/log" 2>&1; then
		fail "$1, hotpath::alloc: $(cat "$work/log")"
		return
	fi
	allocates "$1, hotpath::alloc" "$work/cmake/program"
	has_probe "$1, hotpath::alloc" "$work/cmake/idle"
}

# locks WHAT COMMAND...: the program's report has its lock.
locks()
{
	what=$1
	shift
	"$@" > "$work/stdout" 2> "$work/stderr" || fail "$what: exit status $?"
	grep -q '| orders_lock *| mutex *| *1 | *42 |' "$work/stderr" || fail "$what: no lock: $(cat "$work/stderr")"
}

# waiting COMPILER: a program that knows nothing of hotpath.
waiting()
{
	# shellcheck disable=SC2046
	"$1" "$work/waits/program.c" -o "$work/waiting" -pthread -Wl,--as-needed $(pkg-config --libs hotpath-waits)
	locks "$1, shared probe of waits" env LD_LIBRARY_PATH="$libdir" "$work/waiting"
	# shellcheck disable=SC2046
	"$1" "$work/waits/program.c" -o "$work/waiting" -pthread -static $(pkg-config --static --libs hotpath-waits)
	locks "$1, static probe of waits" "$work/waiting"
	"$prefix/bin/hotpath" run --waits -- "$work/waiting" 2> "$work/stderr"
	grep -q 'cannot record' "$work/stderr" && fail "$1: the tool does not see the static probe: $(cat "$work/stderr")"

	rm -rf "$work/cmake"
	if ! { CC=$1 cmake -S "$work/waits" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$prefix" &&
		cmake --build "$work/cmake"; } > "$work/log" 2>&1; then
		fail "$1, hotpath::waits: $(cat "$work/log")"
		return
	fi
	locks "$1, hotpath::waits" "$work/cmake/program"
}

# with_glib COMPILER: though the program calls nothing of it by name. It need not have been built.
with_glib()
{
	[ -e "$libdir/libhotpath-glib.so" ] || return 0
	installed "$lib/pkgconfig/hotpath-glib.pc"
	# shellcheck disable=SC2046
	"$1" "$work/alloc/idle.c" -o "$work/idle" -Wl,--as-needed $(pkg-config --libs hotpath-glib)
	readelf -d "$work/idle" | grep -q 'NEEDED.*libhotpath-glib\.so\.0' || fail "$1: without libhotpath-glib"
	LD_LIBRARY_PATH="$libdir" "$work/idle" || fail "$1: a program without GLib does not start with its probe"
}

# hooked WHAT OBJECT OTHER...: every function calls the hooks, and one of a system header none.
hooked()
{
	what=$1
	shift
	for object; do
		count=$(objdump -dr "$object" | grep -c 'R_.*__cyg_profile_func_enter') || true
		[ "$count" = 1 ] || fail "$what: $object has $count hooks, not 1"
	done
}

measuring_all()
{
	# shellcheck disable=SC2046
	"$1" -c "$work/all/one.c" -o "$work/one.o" $(pkg-config --cflags hotpath-measure-all)
	hooked "$1, pkg-config" "$work/one.o"
	pkg-config --libs hotpath-measure-all | grep -q -- '-lhotpath' ||
		fail "hotpath-measure-all does not link with libhotpath"

	rm -rf "$work/cmake"
	if ! { CC=$1 CXX=$2 cmake -S "$work/all" -B "$work/cmake" "-DCMAKE_PREFIX_PATH=$prefix" &&
		cmake --build "$work/cmake"; } > "$work/log" 2>&1; then
		fail "$1, hotpath_measure_all: $(cat "$work/log")"
		return
	fi
	objects=$work/cmake/CMakeFiles/every.dir
	hooked "$1, CMake" "$objects/one.c.o" "$objects/two.cc.o"
	grep -q 'libhotpath\.so' "$objects/link.txt" ||
		fail "hotpath_measure_all does not link with libhotpath"
}

# sleds COMPILER PREFIX: the installed tool finds its assembler.
sleds()
{
	"$2/bin/hotpath" cc "$1" -c "$work/all/one.c" -o "$work/one.o" > "$work/log" 2>&1 || fail "$1, hotpath cc: $(cat "$work/log")"
	[ ! -s "$work/log" ] || fail "$1, hotpath cc says: $(cat "$work/log")"
	objdump -h "$work/one.o" | grep -q hotpath.sleds.2.entries || fail "$1, hotpath cc: functions have no sleds"
}

# A static program gets the installed library.
with_wrapper()
{
	sleds "$1" "$prefix"
	"$prefix/bin/hotpath" cc "$1" -v -static "$work/program.c" -o "$work/program" \
		-I"$prefix/include" > "$work/log" 2>&1 || fail "$1, hotpath cc: $(cat "$work/log")"
	grep -qF "$prefix/$lib/libhotpath.a" "$work/log" ||
		fail "$1, hotpath cc: linked without $prefix/$lib/libhotpath.a: $(cat "$work/log")"
}

mkdir "$work/all"
echo 'int one(void); int one(void) { return 1; }' > "$work/all/one.c"
cat > "$work/all/two.cc" << END
#include <string>
extern "C" int one(void);
int main() { return static_cast<int>(std::string("1").size()) - one(); }
END
cat > "$work/all/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.15)
project(every C CXX)
set(CMAKE_CXX_FLAGS -O2)
find_package(hotpath 0.1 REQUIRED)
add_executable(every one.c two.cc)
hotpath_measure_all(every)
END
cat > "$work/program.c" << END
#include <hotpath.h>
#include <stdio.h>

static int answer(void)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN(42);
}

int main(void)
{
	HOTPATH_MAIN();
	printf("%d\n", answer());
	return 0;
}
END
mkdir "$work/alloc"
cat > "$work/alloc/program.c" << END
#include <hotpath.h>
#include <stdio.h>
#include <stdlib.h>

static int answer(void)
{
	HOTPATH_MEASURE();
	char *volatile block = malloc(1000);
	char *volatile pool = block ? block + 500 : NULL;

	HOTPATH_ALLOC(pool, 42);
	HOTPATH_FREE(pool);
	free(block);
	HOTPATH_RETURN(42);
}

int main(void)
{
	HOTPATH_MAIN();
	printf("%d\n", answer());
	return 0;
}
END
cat > "$work/alloc/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(hotpath 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program hotpath::alloc)
add_executable(idle idle.c)
target_link_libraries(idle hotpath::alloc)
END
echo 'int main(void) { return 0; }' > "$work/alloc/idle.c"
mkdir "$work/waits"
cat > "$work/waits/program.c" << END
#include <pthread.h>
static pthread_mutex_t orders_lock = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	for (int i = 0; i < 42; i++) {
		pthread_mutex_lock(&orders_lock);
		pthread_mutex_unlock(&orders_lock);
	}
	return 0;
}
END
cat > "$work/waits/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(hotpath 0.1 REQUIRED)
find_package(Threads REQUIRED)
add_executable(program program.c)
target_link_libraries(program hotpath::waits Threads::Threads)
END
cat > "$work/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(hotpath 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program hotpath::hotpath)
END

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"
pc=$(find "$work/root" -name hotpath.pc)
libdir=$(dirname "$(dirname "$pc")")
prefix=$work/root$(sed -n 's/^prefix=//p' "$pc")
lib=${libdir#"$prefix"/}
export PKG_CONFIG_SYSROOT_DIR="$work/root" PKG_CONFIG_LIBDIR="$libdir/pkgconfig"
# Under a sysroot nothing is where the compiler looks by itself.
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1

for file in bin/hotpath libexec/hotpath/hotpath-demo libexec/hotpath/assembler/as include/hotpath.h include/hotpath/abi.h include/hotpath/value.h include/hotpath/version.h \
	"$lib/libhotpath.so" "$lib/libhotpath.so.0" "$lib/libhotpath.a" "$lib/libhotpath-report.so.0" \
	"$lib/libhotpath-alloc.so" "$lib/libhotpath-alloc.so.0" "$lib/libhotpath-alloc.a" \
	"$lib/libhotpath-waits.so" "$lib/libhotpath-waits.so.0" "$lib/libhotpath-waits.a" "$lib/pkgconfig/hotpath-waits.pc" \
	"$lib/pkgconfig/hotpath.pc" "$lib/pkgconfig/hotpath-alloc.pc" \
	"$lib/pkgconfig/hotpath-measure-all.pc" \
	"$lib/cmake/hotpath/hotpath-config.cmake"; do
	installed "$file"
done
if [ -e "$build/src/probes/uv/libhotpath-uv.so" ]; then
	installed "$lib/libhotpath-uv.so"
	installed "$lib/pkgconfig/hotpath-uv.pc"
fi
for page in "$source"/man/*.scd; do
	page=$(basename "$page" .scd)
	installed "share/man/man${page##*.}/$page"
done
"$prefix/bin/hotpath" --version | grep -q '[0-9]\.[0-9]' || fail "the tool does not say its version"

for compiler in gcc clang; do
	with_pkg_config "$compiler"
	with_cmake "$compiler"
	with_wrapper "$compiler"
	allocating "$compiler"
	waiting "$compiler"
	with_glib "$compiler"
done
# The tool finds what was installed with it.
"$prefix/bin/hotpath" doctor | grep -q "^ok  *allocations  *$prefix/$lib/libhotpath-alloc.so" ||
	fail "the tool does not find libhotpath-alloc.so: $("$prefix/bin/hotpath" doctor)"
measuring_all gcc g++
measuring_all clang clang++
# And still does when the tree has been moved.
mv "$prefix" "$work/moved tree"
"$source/tests/integration/demo.py" "$work/moved tree" || failed=1
sleds gcc "$work/moved tree"
sleds clang "$work/moved tree"
exit "$failed"
