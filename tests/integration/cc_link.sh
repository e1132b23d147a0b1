#!/bin/sh
# SPDX-License-Identifier: MIT
# A static program gets libhotpath.a, which knows of its sleds or has its hooks, and the probe if asked for; any program with
# hooks the rules for its functions.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cc_common.sh"

cat > "$work/main.c" << END
static int inner(int n) { return n; }
int main(void) { return inner(0); }
END
cat > "$work/hooks.c" << END
#include <unistd.h>
void __cyg_profile_func_enter(void *, void *);
void __cyg_profile_func_enter(void *f, void *c) { (void)f, (void)c, (void)!write(1, "in ", 3); }
void __cyg_profile_func_exit(void *, void *);
void __cyg_profile_func_exit(void *f, void *c) { (void)f, (void)c, (void)!write(1, "out ", 4); }
void hotpath_module_begins(void *);
void hotpath_module_begins(void *sleds) { (void)!write(1, sleds ? "begins " : "", 7); }
void hotpath_module_ends(void *);
void hotpath_module_ends(void *sleds) { (void)!write(1, sleds ? "ends " : "", 5); }
END
cd "$work"
mkdir tmp tree tree/cli tree/library tree/assembler alone
export TMPDIR="$work/tmp"

# The tool as it lies in a build, beside a library that tells when its functions are called.
cp "$HOTPATH" tree/cli/hotpath
cp "$HOTPATH" alone/hotpath
cp "$BUILD/src/assembler/as" tree/assembler/as
gcc -fPIC -c hooks.c
ar rcs tree/library/libhotpath.a hooks.o

# calls_ours COMPILER ARGUMENT...
calls_ours()
{
	rm -f program
	# shellcheck disable=SC2086
	expect 0 tree/cli/hotpath cc $how "$@" -o program
	quiet stderr
	expect 0 ./program
	same "$calls" stdout
}
for compiler in gcc clang; do
	for how in '' --hooks; do
		calls='begins ends '
		[ -z "$how" ] || calls='in in out out '
		calls_ours "$compiler" -static main.c
		calls_ours "$compiler" -static-pie -fPIE main.c
		calls_ours "$compiler" -static main.c -lc
		calls_ours "$compiler" -O1 -fno-inline -static -x c main.c
		calls_ours --only '*' "$compiler" -static main.c
		# shellcheck disable=SC2086
		tree/cli/hotpath cc $how "$compiler" -c main.c
		calls_ours "$compiler" -static main.o
		calls_ours "$compiler" -static -lc main.o
		printf '%s' '-static main.o' > file
		calls_ours "$compiler" @file
	done
done
calls_ours gcc -flto -O0 -static main.c
how='' calls='begins ends '
calls_ours gcc -flto -O0 -static main.c

for how in '' --hooks; do
	# shellcheck disable=SC2086
	expect 0 tree/cli/hotpath cc $how gcc main.c -o program
	expect 0 ./program
	quiet stdout
done
expect 0 alone/hotpath cc --hooks gcc -static main.c -o program
[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
says 'libhotpath.a was not found' stderr
expect 0 ./program
quiet stdout

# Without its assembler, functions call hooks. Where nothing is compiled, nothing is said.
for compiler in gcc clang; do
	expect 0 alone/hotpath cc --only inner "$compiler" main.c -o program
	[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
	says 'assembler/as, cannot be used (No such file or directory): functions call hooks' stderr
	[ "$(hooks program)" = 2 ] || fail "$compiler, no assembler: $(hooks program) functions call hooks, not 2"
	noted program || fail "$compiler, no assembler: no rules in the program"
	gcc -c main.c
	expect 0 alone/hotpath cc "$compiler" main.o -o program
	quiet stderr
done

# A probe that tells when it is asked for memory: by the program, and by the C library alone.
mkdir -p tree/probes/alloc
cat > probe.c << END
#include <stddef.h>
#include <unistd.h>
void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { (void)!write(1, "malloc ", 7); return __real_malloc(size); }
void __wrap_free(void *block);
void __wrap_free(void *block) { (void)!write(1, "free ", 5); __real_free(block); }
#define PASS_ON(function) \\
	void *__real_##function(size_t a, size_t b, size_t c); \\
	void *__wrap_##function(size_t a, size_t b, size_t c); \\
	void *__wrap_##function(size_t a, size_t b, size_t c) { return __real_##function(a, b, c); }
PASS_ON(calloc) PASS_ON(realloc) PASS_ON(reallocarray) PASS_ON(posix_memalign)
PASS_ON(aligned_alloc) PASS_ON(memalign) PASS_ON(valloc) PASS_ON(pvalloc)
END
gcc -fPIC -c probe.c
ar rcs tree/probes/alloc/libhotpath-alloc.a probe.o
cat > alloc.c << END
#include <stdlib.h>
int main(void) { char *block = malloc(8); *(char *volatile *)&block; free(block); return 0; }
END
cat > copy.c << END
#include <string.h>
int main(int argc, char **argv) { return argc ? !strdup(argv[0]) : 0; }
END

# allocates WORDS SOURCE COMPILER ARGUMENT...: what is told in main.
allocates()
{
	words=$1 file=$2
	shift 2
	rm -f program
	# shellcheck disable=SC2086
	expect 0 tree/cli/hotpath cc $how --alloc "$@" "$file" -o program
	quiet stderr
	expect 0 ./program
	[ "$(sed "s/.*$before\(.*\)$after\$/\1/" stdout)" = "$words" ] ||
		fail "$how $* $file: '$(cat stdout)', not '$words'"
}
for how in '' --hooks; do
	before='begins ' after='ends '
	[ -z "$how" ] || before='in ' after='out '
	for compiler in gcc clang; do
		allocates 'malloc free ' alloc.c "$compiler" -static
		allocates 'malloc free ' alloc.c "$compiler" -static-pie -fPIE
		allocates 'malloc free ' alloc.c "$compiler" -O2 -static -Wl,--gc-sections
		allocates 'malloc ' copy.c "$compiler" -static
		allocates '' alloc.c "$compiler"
	done
	allocates 'malloc free ' alloc.c gcc -flto -static
	# shellcheck disable=SC2086
	expect 0 tree/cli/hotpath cc $how gcc -static alloc.c -o program
	expect 0 ./program
	same "$before$after" stdout
done
mv tree/probes elsewhere
expect 0 tree/cli/hotpath cc --alloc gcc -static alloc.c -o program
[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
says 'libhotpath-alloc.a was not found' stderr
expect 0 ./program
same 'begins ends ' stdout

# The bytes of our note, as a text.
rules()
{
	objcopy -O binary --only-section=.note.hotpath "$1" note 2> /dev/null
	readelf -n "$1" 2> /dev/null | grep -q '^  hotpath ' || fail "$1: no note of hotpath"
	tail -c +21 note | tr -d '\0' | tr '\n' ';'
}
noted='only in?er;only [x"];skip tiny_*;min-size 40;'

# carries OUTPUT COMPILER ARGUMENT...: the rules are in what was linked, and no file is left.
carries()
{
	output=$1
	shift
	rm -f "$output"
	expect 0 tree/cli/hotpath cc --hooks --only 'in?er' --skip 'tiny_*' --only '[x"]' --min-size 40 \
		"$@" -o "$output"
	quiet stderr
	[ "$(rules "$output")" = "$noted" ] || fail "$*: the note is '$(rules "$output")'"
	readelf -SW "$output" | grep -q '\.note\.hotpath *NOTE .* A ' || fail "$*: not a loaded note"
	readelf -lW "$output" | grep -q 'GNU_STACK.* RW ' || fail "$*: an executable stack"
	[ -z "$(ls tmp)" ] || fail "$*: left behind: $(ls tmp)"
}
gcc -c main.c
for compiler in gcc clang; do
	carries program "$compiler" -Wall -Wextra -Werror main.c
	expect 0 ./program
	carries program "$compiler" -Werror -I. -include hooks.c main.o
	carries program "$compiler" -x c main.c
	carries program "$compiler" -xc -O2 -g -Wl,--gc-sections main.c
	carries program "$compiler" -shared -fPIC main.c
	carries program "$compiler" -static main.c
	carries program "$compiler" @file
done
carries program gcc -flto main.c
carries program clang -flto -fuse-ld=lld main.c
carries program g++ main.c
carries program gcc -shared -nostdlib main.o

# Where nothing is linked for use, there is no note; nor where what is skipped has no sleds.
expect 0 "$HOTPATH" cc --hooks --only inner gcc -c main.c -o other.o
expect 0 "$HOTPATH" cc --hooks --only inner gcc -r main.o -o other2.o
expect 0 "$HOTPATH" cc --hooks --only main.c gcc main.c -o other
expect 0 "$HOTPATH" cc --only inner gcc main.c -o sleds_gcc
expect 0 "$HOTPATH" cc --only inner clang main.c -o sleds_clang
expect 0 "$HOTPATH" cc --only inner gcc -shared -fPIC -flto main.c -o sleds_flto
for output in other.o other2.o other sleds_gcc sleds_clang sleds_flto; do
	! readelf -SW "$output" | grep -q '\.note\.hotpath' || fail "$output has a note"
done
for output in sleds_gcc sleds_clang; do
	[ "$(sleds "$output")" = 1 ] || fail "$output: $(sleds "$output") functions have sleds, not 1"
	readelf -lW "$output" | grep -q 'GNU_STACK.* RW ' || fail "$output: an executable stack"
done

echo 'int main(void) { return nothing(); }' > wrong.c
for compiler in gcc clang; do
	for how in '' --hooks; do
		# shellcheck disable=SC2086
		expect 1 "$HOTPATH" cc $how --only inner --min-size 9 "$compiler" wrong.c -o wrong
	done
	[ -z "$(ls tmp)" ] || fail "after an error: left behind: $(ls tmp)"
done
exit "$failed"
