#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiled by hotpath cc, functions call the hooks; what the compiler says and returns is its own.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

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

# hooks FILE: how many calls of the first hook are in it.
hooks() { objdump -dr "$1" | grep -cE 'R_.*__cyg_profile_func_enter' || true; }

# measures COUNT COMPILER ARGUMENT...
measures()
{
	number=$1
	shift
	rm -f out.o
	expect 0 "$HOTPATH" cc "$@" -c -o out.o
	quiet stderr
	[ "$(hooks out.o)" = "$number" ] || fail "'$*' hooks $(hooks out.o) functions, not $number"
}

# Each function by itself, or one inlined into the other and hooked there. With gcc, and with clang++
# when it optimises, nothing from the headers of the system.
for level in -O0 -O2; do
	measures 2 gcc "$level" -Wall -Wextra -Werror a.c
	measures 1 g++ "$level" -Werror b.cc
done
measures 1 clang++ -O2 -Werror b.cc
measures 2 clang -Wall -Wextra -Werror plain.c
# It keeps the inlined function as well, since the hook is told its address.
measures 3 clang -O2 -Wall -Wextra -Werror plain.c
measures 0 gcc -fno-instrument-functions a.c
measures 2 gcc -x c++ -D_ISOC99_SOURCE a.c
measures 0 --skip a.c gcc a.c
echo "-c plain.c -o file.o" > file
expect 0 "$HOTPATH" cc clang @file
[ "$(hooks file.o)" = 2 ] || fail "argument files: $(hooks file.o) functions are hooked"

# By itself such a program runs as ever.
for compiler in gcc clang; do
	expect 0 "$HOTPATH" cc "$compiler" main.c -o main
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
