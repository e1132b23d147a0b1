#!/bin/sh
# SPDX-License-Identifier: MIT
# configure finds out the same about hotpath cc as about the compiler; libtool makes libraries by it.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cc_common.sh"

for tool in autoreconf automake libtoolize; do
	command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed" && exit 77; }
done
mkdir "$work/source" "$work/plain" "$work/sleds" "$work/hooks"
cd "$work/source"
cat > configure.ac << END
AC_INIT([program], [1])
AC_CONFIG_MACRO_DIRS([m4])
AM_INIT_AUTOMAKE([foreign])
AM_PROG_AR
LT_INIT
AC_PROG_CC
AC_C_INLINE
AC_C_BIGENDIAN
AC_CHECK_HEADERS([sys/mman.h no/such.h])
AC_CHECK_FUNCS([memfd_create no_such_function])
AC_CHECK_SIZEOF([long])
AC_SEARCH_LIBS([sqrt], [m])
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat > Makefile.am << END
ACLOCAL_AMFLAGS = -I m4
lib_LTLIBRARIES = libhelper.la
libhelper_la_SOURCES = helper.c
bin_PROGRAMS = program
program_SOURCES = main.c
program_LDADD = libhelper.la
END
mkdir m4
echo 'int helper(int n); int helper(int n) { return n + 1; }' > helper.c
echo 'int helper(int n); int main(void) { return helper(-1); }' > main.c

logged() { "$@" > "$work/log" 2>&1 || { fail "'$*': $(tail -n 30 "$work/log")" && exit 1; }; }
logged autoreconf -i

# configure FOLDER CC
configure() { (cd "$work/$1" && logged ../source/configure "CC=$2"); }
configure plain gcc
# libtool drops quotes: this must not match a file where it links.
configure sleds "$HOTPATH cc --only h?lper gcc"
configure hooks "$HOTPATH cc --hooks --only h?lper gcc"
for how in sleds hooks; do
	cmp "$work/plain/config.h" "$work/$how/config.h" || fail "$how: configure found something else"
	logged make -s -C "$work/$how"
	(cd "$work/$how" && ./program) || fail "$how: the program ends with $?"
done

cd "$work/sleds"
for file in .libs/helper.o .libs/libhelper.so; do
	[ "$(sleds "$file")" = 1 ] || fail "$file: $(sleds "$file") functions have sleds, not 1"
done
[ "$(sleds .libs/libhelper.a)" -gt 0 ] || fail "libhelper.a has no sleds"
[ "$(sleds .libs/program)" = 0 ] || fail "main is not selected, and has sleds"
for file in .libs/libhelper.so .libs/program; do
	! noted "$file" || fail "$file holds needless rules"
done

cd "$work/hooks"
for file in .libs/helper.o .libs/libhelper.so .libs/program; do
	nm "$file" | grep -q 'U __cyg_profile_func_enter' || fail "$file is not hooked"
done
for file in .libs/libhelper.so .libs/program; do
	noted "$file" || fail "$file holds no rules"
done
expect 0 nm .libs/libhelper.a
says '__cyg_profile_func_enter' "$work/stdout"

exit "$failed"
