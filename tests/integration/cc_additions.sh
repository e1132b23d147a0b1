#!/bin/sh
# SPDX-License-Identifier: MIT
# The compiler gets what it needs right after its name, and everything else as it was.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

hooks=-finstrument-functions
exclude=$hooks-exclude-file-list=/usr/include,/usr/lib/gcc,/include/c++/
inlined=$hooks-after-inlining

# Compilers that print how they were called; the second word is what they say of themselves.
pretend()
{
	cat > "$work/bin/$1" << END
#!/bin/sh
[ "\$1" != --version ] || exec echo "$2"
printf '<%s>' "\${0##*/}" "\$@"
END
	chmod +x "$work/bin/$1"
}
mkdir "$work/bin"
for name in gcc g++ aarch64-linux-gnu-gcc-12 clang clang++-14 musl-gcc; do
	pretend "$name" "nothing to tell by"
done
pretend mpicc 'cc (Debian) 12 Copyright (C) Free Software Foundation, Inc.'
pretend vendorcc 'Vendor clang version 17'
pretend tcc 'tcc version 0.9.27'
ln -s clang "$work/bin/cc"
ln -s g++ "$work/bin/c++"
cat > "$work/bin/ccache" << END
#!/bin/sh
printf '<ccache>'
exec "\$@"
END
chmod +x "$work/bin/ccache"
PATH=$work/bin:$PATH

# becomes CALL ARGUMENT...: what hotpath cc makes of it.
becomes()
{
	call=$1
	shift
	expect 0 "$HOTPATH" cc "$@"
	same "$call" "$work/stdout"
	quiet "$work/stderr"
}

becomes "<gcc><$hooks><$exclude><-c><a.c>" gcc -c a.c
becomes "<gcc><$hooks><$exclude><-c><a.c>" -- gcc -c a.c
becomes "<gcc><$hooks><$exclude><-c><a b.c><><-DX=\"y\">" "$work/bin/gcc" -c 'a b.c' '' '-DX="y"'
becomes "<g++><$hooks><$exclude><a.cc>" g++ a.cc
becomes "<aarch64-linux-gnu-gcc-12><$hooks><$exclude><a.c>" aarch64-linux-gnu-gcc-12 a.c
becomes "<clang><$hooks><-c><a.c>" clang -c a.c
becomes "<clang><$inlined><-c><a.cc>" clang -c a.cc
becomes "<clang++-14><$inlined><-c><a.c>" clang++-14 -c a.c
becomes "<mpicc><$hooks><$exclude><-c><a.c>" mpicc -c a.c
becomes "<vendorcc><$hooks><-c><a.c>" vendorcc -c a.c
becomes "<cc><$hooks><-c><a.c>" cc -c a.c
becomes "<c++><$hooks><$exclude><-c><a.c>" c++ -c a.c
becomes "<ccache><gcc><$hooks><$exclude><-c><a.c>" ccache gcc -c a.c
for arguments in '-E a.c' '-c a.s' 'a.o -o a' '-dumpmachine' '-ffreestanding -c a.c' '-v'; do
	# shellcheck disable=SC2086
	becomes "<gcc>$(printf '<%s>' $arguments)" gcc $arguments
done
becomes "<ccache>" ccache

# Argument files are looked into, and passed on as they are.
echo "-c '$work/one two.c'" > "$work/inner"
echo "-O2 @$work/inner" > "$work/outer"
becomes "<clang><$hooks><@$work/outer>" clang "@$work/outer"
printf '%s' -E > "$work/inner"
becomes "<clang><@$work/outer><a.c>" clang "@$work/outer" a.c

# Files that are not wanted.
becomes "<gcc><-c><vendor/a.c>" --skip vendor/ gcc -c vendor/a.c
becomes "<gcc><-c><b.c>" --only 'a*.c' --only=x/ gcc -c b.c
becomes "<gcc><$hooks><$exclude><-c><x/b.c>" --only 'a*.c' --only=x/ gcc -c x/b.c
becomes "<gcc><$hooks><$exclude><-c><a.c>" --only 'parse_*' --min-size 64 gcc -c a.c
expect 0 "$HOTPATH" cc --skip b.c gcc -c a.c b.c
says "'b.c' is measured anyway" "$work/stderr"

# Compilers that cannot, or must not, run unchanged.
expect 0 "$HOTPATH" cc tcc -c a.c
same '<tcc><-c><a.c>' "$work/stdout"
same 'hotpath: cc: tcc cannot instrument functions (gcc and clang can): running it unchanged' \
	"$work/stderr"
expect 0 "$HOTPATH" cc musl-gcc -c a.c
same '<musl-gcc><-c><a.c>' "$work/stdout"
says 'a different C library' "$work/stderr"

refuse 2 "did you mean 'gcc'?" "$HOTPATH" cc gccc -c a.c
refuse 2 "compiler '/nowhere/compiler' not found" "$HOTPATH" cc /nowhere/compiler -c a.c
refuse 2 "compiler '$work' not found" "$HOTPATH" cc "$work" -c a.c
refuse 2 'no compiler given' "$HOTPATH" cc
refuse 2 'no compiler given' "$HOTPATH" cc --only x
refuse 2 "'--only' needs a value" "$HOTPATH" cc --only
refuse 2 "'--only' needs a pattern" "$HOTPATH" cc --only '' gcc
refuse 2 "'--skip' needs a pattern" "$HOTPATH" cc --skip "$(printf 'a\nb')" gcc
for size in '' x 64k -1 1.5 99999999999; do
	refuse 2 "is not a number of bytes" "$HOTPATH" cc --min-size="$size" gcc
done
refuse 2 "did you mean '--min-size'?" "$HOTPATH" cc --minsize=1 gcc

exit "$failed"
