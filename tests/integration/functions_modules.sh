#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions have their names in programs of every kind, or the report says why not.
# shellcheck disable=SC1091,SC2016,SC2119,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
. "$(dirname "$0")/functions_common.sh"

# checked: everything as the program says.
checked()
{
	traced return
	agrees
	all_closed
	nothing_lost
	holds '.notes == []'
}

for compiler in $compilers; do
	for options in '-O2 -fPIE -pie' '-O2 -fno-pie -no-pie' '-O2 -Wl,-z,noseparate-code' \
		'-O2 -Wl,--build-id=none' '-O2 -no-pie -Wl,-Ttext-segment=0x20000' '-O2 -flto -fuse-linker-plugin'; do
		case $compiler$options in clang*lto*) options='-O2 -flto -fuse-ld=lld' ;; esac
		build "$compiler" "$options" functions_leave.c
		[ ! -x "$program" ] || checked
	done
	for options in -static -static-pie; do
		program=$work/functions_leave built="$compiler $options"
		# shellcheck disable=SC2086
		"$HOTPATH" cc "$compiler" $instrumented -O1 $options "$sources/functions_leave.c" -o "$program" ||
			fail "$built: does not compile"
		checked
		HOTPATH_CLOCK=monotonic checked
	done
done

# offsets FILE: how often the functions that the program tells of were called, by address instead of name.
offsets()
{
	nm "$1" | while read -r address _ name; do
		number=$(calls "$name")
		[ "$number" = 0 ] || printf '"%s+0x%x": %s\n' "$(basename "$program")" "0x$address" "$number"
	done | paste -sd, | sed 's/.*/{&}/'
}

# Without symbols, functions are numbers; with those of another file, names.
build gcc '-O1 -g' functions_leave.c
cp "$program" "$work/whole"
strip "$program"
traced return
has "$(offsets "$work/whole")"
holds '.notes | length == 1 and (.[0] | test("no symbols"))'
objcopy --only-keep-debug "$work/whole" "$work/functions_leave.debug"
(cd "$work" && objcopy --add-gnu-debuglink=functions_leave.debug "$program")
checked
rm "$work/functions_leave.debug"
traced return
has "$(offsets "$work/whole")"

# Whatever its folder is called: the kernel writes newlines as \012.
for name in 'two
lines
' 'four\012letters' 'blanks  (deleted)'; do
	mkdir "$work/$name"
	cp "$work/whole" "$work/$name/functions_leave"
	program=$work/$name/functions_leave
	checked
done
program=$work/functions_leave

# A program that is built anew after it ran, or is gone, is not asked for names.
cp "$work/whole" "$program"
traced return
expect 0 "$HOTPATH" report
says '| tail ' "$work/stdout"
build gcc -O3 functions_leave.c
expect 0 "$HOTPATH" report
says '| functions_leave+0x' "$work/stdout"
says 'hotpath: functions_leave ' "$work/stdout"
! grep -q '| tail ' "$work/stdout" || fail 'names of another program'
mv "$program" "$work/renamed"
expect 0 "$HOTPATH" report
says 'hotpath: functions_leave no longer exists' "$work/stdout"

exit "$failed"
