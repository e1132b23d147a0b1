#!/bin/sh
# SPDX-License-Identifier: MIT
# The compiler gets what it needs right after its name, and everything else as it was.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

hooks=-finstrument-functions
exclude=$hooks-exclude-file-list=/usr/include,/usr/lib/gcc,/include/c++/
inlined=$hooks-after-inlining
folder=$(realpath "$BUILD")/src/assembler/
gcc="<-B$folder><-dp><-DHOTPATH_I_SLEDS><-fno-ipa-ra>"
clang="<-B$folder><-fno-integrated-as><-DHOTPATH_I_SLEDS>"
# On aarch64, tables of jumps have room for sleds only if clang does not compress them, and it must not outline the ends of functions.
[ "$(uname -m)" != aarch64 ] || clang="$clang<-mllvm><-aarch64-enable-compress-jump-tables=false><-mno-outline>"

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

# becomes CALL ARGUMENT...: what hotpath cc makes of it. The assembler is told the rules, and a number that tells it from
# other versions: <RULES> stands for a word without any, <RULES: ...> for one with some.
becomes()
{
	call=$1
	shift
	expect 0 "$HOTPATH" cc "$@"
	sed -E 's/<-Wa,--hotpath-selection=assembler%20[0-9a-f]{16}%0A([^>]*)>/<RULES: \1>/; s/<RULES: >/<RULES>/
		s/<-Bhotpath-selection=assembler%20[0-9a-f]{16}%0A([^>]*)>/<SILENT: \1>/' \
		"$work/stdout" > "$work/call"
	same "$call" "$work/call"
	quiet "$work/stderr"
}

becomes "<gcc>$gcc<RULES><-c><a.c>" gcc -c a.c
becomes "<gcc>$gcc<RULES><-c><a.c>" -- gcc -c a.c
becomes "<gcc>$gcc<RULES><-c><a b.c><><-DX=\"y\">" "$work/bin/gcc" -c 'a b.c' '' '-DX="y"'
becomes "<g++>$gcc<RULES><a.cc>" g++ a.cc
becomes "<aarch64-linux-gnu-gcc-12>$gcc<RULES><a.c>" aarch64-linux-gnu-gcc-12 a.c
becomes "<clang>$clang<RULES><-c><a.c>" clang -c a.c
becomes "<clang>$clang<RULES><-c><a.cc>" clang -c a.cc
becomes "<clang++-14>$clang<RULES><-c><a.c>" clang++-14 -c a.c
becomes "<mpicc>$gcc<RULES><-c><a.c>" mpicc -c a.c
becomes "<vendorcc>$clang<RULES><-c><a.c>" vendorcc -c a.c
becomes "<cc>$clang<RULES><-c><a.c>" cc -c a.c
becomes "<c++>$gcc<RULES><-c><a.c>" c++ -c a.c
becomes "<ccache><gcc>$gcc<RULES><-c><a.c>" ccache gcc -c a.c
# gcc keeps options of the assembler in what it compiles with -flto, where the real assembler would get them.
becomes "<gcc>$gcc<SILENT: only%20f%0A><-flto><-c><a.c>" --only f gcc -flto -c a.c
becomes "<gcc>$gcc<RULES><-flto><-fno-lto><-c><a.c>" gcc -flto -fno-lto -c a.c
becomes "<gcc>$gcc<RULES><-flto><a.c><-o><a>" gcc -flto a.c -o a
becomes "<gcc>$gcc<RULES><-flto><a.o><-o><a>" gcc -flto a.o -o a
# What gcc links may have been compiled with -flto, and become code only then.
becomes "<gcc>$gcc<RULES><a.o><-o><a>" gcc a.o -o a
becomes '<clang><a.o><-o><a>' clang a.o -o a

# Hooks, because it is said so, or the command has them anyway.
becomes "<gcc><$hooks><$exclude><-c><a.c>" --hooks gcc -c a.c
becomes "<g++><$hooks><$exclude><a.cc>" --hooks g++ a.cc
becomes "<aarch64-linux-gnu-gcc-12><$hooks><$exclude><a.c>" --hooks aarch64-linux-gnu-gcc-12 a.c
becomes "<clang><$hooks><-c><a.c>" --hooks clang -c a.c
becomes "<clang><$inlined><-c><a.cc>" --hooks clang -c a.cc
becomes "<clang++-14><$inlined><-c><a.c>" --hooks clang++-14 -c a.c
becomes "<mpicc><$hooks><$exclude><-c><a.c>" --hooks mpicc -c a.c
becomes "<vendorcc><$hooks><-c><a.c>" --hooks vendorcc -c a.c
becomes "<cc><$hooks><-c><a.c>" --hooks cc -c a.c
becomes "<c++><$hooks><$exclude><-c><a.c>" --hooks c++ -c a.c
becomes "<ccache><gcc><$hooks><$exclude><-c><a.c>" --hooks ccache gcc -c a.c
becomes '<gcc><a.o><-o><a>' --hooks gcc a.o -o a
becomes "<gcc><$hooks><$exclude><-c><a.c><$hooks>" gcc -c a.c "$hooks"
becomes "<clang><$hooks><-c><a.c><$inlined>" clang -c a.c "$inlined"

# Hooks, because there are no sleds for it: one line says so, unless it is wanted.
for arguments in 'gcc -m32 -c a.c' 'clang -target arm-linux-gnueabi -c a.c' 'clang -flto -c a.c' \
	'clang -fintegrated-as -c a.c' 'clang -c a.c -integrated-as'; do
	# shellcheck disable=SC2086
	expect 0 "$HOTPATH" cc $arguments
	says "<$hooks>" "$work/stdout"
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "'$arguments' does not say one line: $(cat "$work/stderr")"
	says 'cc: there are no sleds ' "$work/stderr"
	says "'--hooks'" "$work/stderr"
	# shellcheck disable=SC2086
	expect 0 "$HOTPATH" cc --hooks $arguments
	quiet "$work/stderr"
done

becomes "<clang>$clang<RULES><-fintegrated-as><-fno-integrated-as><-c><a.c>" \
	clang -fintegrated-as -fno-integrated-as -c a.c

for how in '' --hooks; do
	for arguments in '-E a.c' '-c a.s' '-dumpmachine' '-ffreestanding -c a.c' '-nostdlib a.c -o a' \
		'-fno-instrument-functions -c a.c' '-v'; do
		# shellcheck disable=SC2086
		becomes "<gcc>$(printf '<%s>' $arguments)" $how gcc $arguments
	done
done
becomes '<gcc><-S><a.c>' gcc -S a.c
becomes "<ccache>" ccache

# Argument files are looked into, and passed on as they are.
echo "-c '$work/one two.c'" > "$work/inner"
echo "-O2 @$work/inner" > "$work/outer"
becomes "<clang>$clang<RULES><@$work/outer>" clang "@$work/outer"
becomes "<clang><$hooks><@$work/outer>" --hooks clang "@$work/outer"
printf '%s' -E > "$work/inner"
becomes "<clang><@$work/outer><a.c>" clang "@$work/outer" a.c

# Files that are not wanted, and rules for functions.
becomes "<gcc><-c><vendor/a.c>" --skip vendor/ gcc -c vendor/a.c
becomes "<gcc><vendor/a.c><-o><a>" --skip vendor/ gcc vendor/a.c -o a
becomes "<gcc><-c><b.c>" --only 'a*.c' --only=x/ gcc -c b.c
becomes "<gcc>$gcc<RULES><-c><x/b.c>" --only 'a*.c' --only=x/ gcc -c x/b.c
becomes "<gcc>$gcc<RULES: only%20parse_*%0Amin-size%2064%0A><-c><a.c>" --only 'parse_*' --min-size 64 gcc -c a.c
becomes "<clang>$clang<RULES: only%20a%2C%20%22%25%0Askip%20b%0A><-c><a.c>" --skip b --only 'a, "%' clang -c a.c
becomes "<gcc><$hooks><$exclude><-c><a.c>" --hooks --only 'parse_*' --min-size 64 gcc -c a.c
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
