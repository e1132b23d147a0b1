#!/bin/sh
# SPDX-License-Identifier: MIT
# Switched off, the macros leave nothing: the object file is that of the source with them deleted.
#
# usage: off_is_nothing.sh [COMPILER...]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- gcc clang

# Every use of a macro becomes what is left when a person deletes it. Lines keep their numbers.
delete_macros()
{
	sed -e 's/HOTPATH_\(MAIN\|MEASURE\|MEASURE_AS\)(.*);/;/' \
	    -e 's/HOTPATH_\(SPAN_BEGIN\|SPAN_END\|THREAD_NAME\|ALLOC\|FREE\|DBG\|VAL\)(.*);/;/' \
	    -e 's/HOTPATH_\(CHANNEL\|STREAM\|LOCK\|FUTURE\|GAUGE\)_[A-Z_]*(.*);/;/' \
	    -e 's/hotpath_\(label\|fiber_switch\|before_stop\)(.*);/;/' \
	    -e 's/HOTPATH_RETURN(\(.*\));/return \1;/' \
	    -e 's/HOTPATH_BLOCK("[^"]*", {/{/' -e 's/^\(\t*\)});$/\1};/' \
	    -e 's/HOTPATH_SKIP //' "$1"
}

# compile COMPILER FOLDER FLAG...: the same file name in each folder, since an object file holds it.
compile()
{
	compiler=$1 folder=$2
	shift 2
	(cd "$work/$folder" && "$compiler" -std=c11 -I"$include" "$@" -c subject.c -o subject.o)
}

same() { cmp -s "$work/$1/subject.o" "$work/$2/subject.o"; }

fail()
{
	echo "FAILED: $*"
	failed=1
}

# same_object COMPILER LEVEL: on must differ, or this test could not fail.
same_object()
{
	compile "$1" without "$2"
	compile "$1" off "$2"
	compile "$1" on "$2" -DHOTPATH_ENABLE=1
	same without off || fail "$1 $2: switched off, the macros leave something behind"
	! same without on || fail "$1 $2: switched on, the macros do nothing"
	compile "$1" empty "$2"
	compile "$1" header "$2"
	same empty header || fail "$1 $2: including the header adds something"
}

mkdir "$work/without" "$work/off" "$work/on" "$work/empty" "$work/header"
delete_macros "$here/with_macros.c" > "$work/without/subject.c"
cp "$here/with_macros.c" "$work/off/subject.c"
cp "$here/with_macros.c" "$work/on/subject.c"
printf '\nint x;\n' > "$work/empty/subject.c"
printf '#include <hotpath.h>\nint x;\n' > "$work/header/subject.c"

failed=0
if grep -in 'hotpath_[a-z_]*(' "$work/without/subject.c"; then
	fail "these macros were not deleted"
fi
for compiler; do
	for level in -O0 -O1 -O2 -O3 -Os; do
		same_object "$compiler" "$level"
	done
done
exit "$failed"
