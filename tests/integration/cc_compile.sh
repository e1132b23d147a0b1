#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiled by hotpath cc, functions have sleds, or call hooks; what the compiler says and returns is its own.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cc_common.sh"

cat > "$work/a.c" << END
#include <ctype.h>
#include <stdlib.h>
static int inner(int n) { return atoi("1") + toupper(n); }
int outer(int n);
int outer(int n) { return inner(n) + 1; }
END
cat > "$work/b.cc" << END
#include <string>
#include <vector>
int sum(const std::vector<int> &numbers)
{
	int all = 0;
	for (int number : numbers)
		all += number;
	return all + static_cast<int>(std::string("text").size());
}
END
sed -e '/#include/d' -e 's/atoi.*to/n + to/' -e 's/toupper(n)/n/' "$work/a.c" > "$work/plain.c"
echo 'int sum; int main(void) { return 3; }' > "$work/main.c"
cd "$work"

# compiles SLEDS HOOKS COMPILER ARGUMENT...: so many functions of the object have sleds, and so many call hooks.
compiles()
{
	with_sleds=$1 with_hooks=$2
	shift 2
	rm -f out.o
	expect 0 "$HOTPATH" cc "$@" -c -o out.o
	quiet stderr
	[ "$(sleds out.o)" = "$with_sleds" ] || fail "'$*': $(sleds out.o) functions have sleds, not $with_sleds"
	[ "$(hooks out.o)" = "$with_hooks" ] || fail "'$*': $(hooks out.o) functions call hooks, not $with_hooks"
}

# Each function has sleds, unless it was inlined or is left out.
for compiler in gcc clang; do
	compiles 2 0 "$compiler" -O0 -Wall -Wextra -Werror plain.c
	compiles 1 0 "$compiler" -O2 -Wall -Wextra -Werror plain.c
	compiles 2 0 "$compiler" -O2 -fno-inline -Wall -Wextra -Werror plain.c
	compiles 1 0 "$compiler" -O2 -Wall -Wextra -Werror a.c
	compiles 2 0 "$compiler" -x c++ plain.c
	compiles 0 0 --skip plain.c "$compiler" plain.c
	compiles 1 0 --skip inner "$compiler" plain.c
	compiles 1 0 --only 'in?er' "$compiler" plain.c
	compiles 0 0 --only '[!io]*' "$compiler" plain.c
	compiles 0 0 --min-size 1000 "$compiler" plain.c
	compiles 2 0 --min-size 1 "$compiler" plain.c
done
compiles 0 0 gcc -fno-instrument-functions plain.c
compiles 1 0 g++ -O2 -Werror b.cc
compiles 1 0 clang++ -O2 -Werror b.cc
for compiler in gcc clang; do
	expect 0 "$HOTPATH" cc "$compiler" -g -c plain.c -S -o text.s
	! grep -q hotpath text.s || fail "$compiler -S: the text has sleds"
done

# With hooks: each function by itself, or one inlined into the other and hooked there. With gcc, and with clang++
# when it optimises, nothing from the headers of the system.
for level in -O0 -O2; do
	compiles 0 2 --hooks gcc "$level" -Wall -Wextra -Werror a.c
	compiles 0 1 --hooks g++ "$level" -Werror b.cc
done
compiles 0 1 --hooks clang++ -O2 -Werror b.cc
compiles 0 2 --hooks clang -Wall -Wextra -Werror plain.c
# It keeps the inlined function as well, since the hook is told its address.
compiles 0 3 --hooks clang -O2 -Wall -Wextra -Werror plain.c
compiles 0 0 --hooks gcc -fno-instrument-functions a.c
compiles 0 2 --hooks gcc -x c++ -D_ISOC99_SOURCE a.c
compiles 0 0 --hooks --skip a.c gcc a.c
compiles 0 2 gcc -finstrument-functions a.c

echo "-c plain.c -o file.o" > file
expect 0 "$HOTPATH" cc clang @file
[ "$(sleds file.o)" = 2 ] || fail "argument files: $(sleds file.o) functions have sleds"
expect 0 "$HOTPATH" cc --hooks clang @file
[ "$(hooks file.o)" = 2 ] || fail "argument files: $(hooks file.o) functions are hooked"

# By itself such a program runs as ever.
for compiler in gcc clang; do
	expect 0 "$HOTPATH" cc "$compiler" main.c -o main
	[ "$(sleds main)" = 1 ] || fail "$compiler: main has no sleds"
	! nm -D main | grep -q __cyg_profile || fail "$compiler: main has hooks"
	expect 3 ./main
	quiet stderr
	expect 0 "$HOTPATH" cc --hooks "$compiler" main.c -o main
	nm -D main | grep -q 'U __cyg_profile_func_exit' || fail "$compiler: main has no hooks"
	expect 3 ./main
	quiet stderr
done

# same_as_compiler ARGUMENT...: the same words, the same status.
same_as_compiler()
{
	status=0
	"$@" > plain.stdout 2> plain.stderr || status=$?
	expect "$status" "$HOTPATH" cc "$@"
	cmp -s stdout plain.stdout || fail "'$*' prints something else"
	cmp -s stderr plain.stderr || fail "'$*' says something else: $(cat stderr)"
}
echo 'int f(void) { return g; }' > wrong.c
for compiler in gcc clang; do
	same_as_compiler "$compiler" -c wrong.c
	same_as_compiler "$compiler" -Wall -c missing.c
	same_as_compiler "$compiler"
	same_as_compiler "$compiler" --version
	same_as_compiler "$compiler" -dumpversion
	same_as_compiler "$compiler" -print-file-name=libc.so
	same_as_compiler "$compiler" -E a.c
	same_as_compiler "$compiler" -MM a.c
	same_as_compiler "$compiler" -no-such-option a.c
done

# A signal ends both.
cat > gcc << 'END'
#!/bin/sh
kill -TERM $$
END
chmod +x gcc
expect 143 "$HOTPATH" cc ./gcc -c a.c
expect 143 "$HOTPATH" cc --only 'f*' ./gcc a.c

exit "$failed"
