#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath run --alloc puts the probe before everything else; where it cannot, one line says why, and the
# program runs all the same.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD

cat > "$work/program.c" << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "nothing";
}
int main(void)
{
	printf("%s\n%s\n%s\n", variable("HOTPATH_ALLOC"), variable("LD_PRELOAD"),
	       getauxval(AT_SECURE) ? "secure" : "open");
	return 3;
}
END
cat > "$work/note.s" << 'END'
	.section .note.hotpath,"a",%note
	.balign 4
	.4byte 8, 6, 2
	.asciz "hotpath"
	.asciz "alloc"
	.balign 4
	.section .note.GNU-stack,"",%progbits
END
cd "$work"
chmod 711 .
gcc program.c -o program

# The tool as it lies in a build, beside libraries that do nothing; and without the probe, or any.
mkdir -p tree/cli tree/library tree/probes/alloc half/cli half/library none
echo 'int nothing_at_all;' > library.c
gcc -shared library.c -o tree/library/libhotpath.so
cp tree/library/libhotpath.so tree/probes/alloc/libhotpath-alloc.so
cp tree/library/libhotpath.so half/library/libhotpath.so
for copy in tree/cli half/cli none; do
	cp "$HOTPATH" "$copy/hotpath"
done
tool=$work/tree/cli/hotpath
recorder=$work/tree/library/libhotpath.so
probe=$work/tree/probes/alloc/libhotpath-alloc.so

# run TOOL ARGUMENT...: the program's own output and status, and no report.
run()
{
	run_by=$1
	shift
	expect 3 "$run_by" run --format none "$@"
}

# line N: of what the program printed.
line() { sed -n "$1p" stdout; }

# sees MODE PRELOADED: what the program was started with.
sees()
{
	[ "$(line 1)" = "$1" ] || fail "HOTPATH_ALLOC is $(line 1), not $1"
	[ "$(line 2)" = "$2" ] || fail "LD_PRELOAD is $(line 2), not $2"
}

# told TEXT: one line, with this and what to do in it.
told()
{
	[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
	says "$1" stderr
	says "hotpath-alloc" stderr
}

run "$tool" --alloc ./program
quiet stderr
sees live "$probe:$recorder"
for mode in live freed count; do
	run "$tool" "--alloc=$mode" ./program
	quiet stderr
	sees "$mode" "$probe:$recorder"
done

# Before what was preloaded already; and the option wins over the environment, which is left alone without it.
LD_PRELOAD=libm.so.6 HOTPATH_ALLOC=off run "$tool" --alloc=count ./program
sees count "$probe:$recorder:libm.so.6"
LD_PRELOAD=libm.so.6 HOTPATH_ALLOC=freed run "$tool" ./program
sees freed "$recorder:libm.so.6"
run "$tool" ./program
sees nothing "$recorder"

# The program is not run when it cannot be told how.
for mode in everything Live 1 ''; do
	refuse 2 "'$mode' is not live, freed or count" "$tool" run "--alloc=$mode" touch ran
done
[ ! -e ran ] || fail 'a program was run in no mode'

# A script, and a program that is loaded by hand.
printf '#!/bin/sh\nexec %s\n' "$work/program" > script
chmod +x script
run "$tool" --alloc ./script
quiet stderr
sees live "$probe:$recorder"
linker=$(readelf -lW program | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
run "$tool" --alloc "$linker" ./program
quiet stderr
sees live "$probe:$recorder"

# Static programs, unless they were linked with the probe.
for kind in -static -static-pie; do
	gcc $kind program.c -o static
	run "$tool" --alloc ./static
	told "cannot record allocations of './static': it is statically linked"
	sees live "$probe:$recorder"
	run "$tool" ./static
	quiet stderr
	gcc -s $kind program.c note.s -o static
	run "$tool" --alloc=freed ./static
	quiet stderr
	sees freed "$recorder"
done
gcc program.c note.s -o dynamic
run "$tool" --alloc ./dynamic
quiet stderr
sees live "$recorder"

# A program with a malloc of its own, which comes first.
cat > own.c << 'END'
#include <stddef.h>
void *malloc(size_t size) { static char room[65536], *next = room; return next += (size + 15) / 16 * 16; }
void free(void *block) { (void)block; }
END
gcc program.c own.c -o own
run "$tool" --alloc ./own
told "it has its own malloc"
run "$tool" ./own
quiet stderr

# Of another C library: our own would keep it from starting.
if command -v musl-gcc > /dev/null; then
	musl-gcc program.c -o musl
	run "$tool" --alloc ./musl
	told "it uses a different C library"
	sees live nothing
fi

# secure_or_open NAME COMMAND...: a line when, and only when, the program says that it is secure.
secure_or_open()
{
	name=$1
	shift
	expect 3 "$@" "$tool" run --format none --alloc "./$name"
	case $(line 3) in
	secure) told "cannot record allocations of './$name': it runs with different privileges" ;;
	open) quiet stderr ;;
	*) fail "$name: $(cat stdout)" ;;
	esac
	line 3 > verdict
}

# Users and groups that are, and are not, those of whoever runs it.
cp program setuid
chmod 6755 setuid
secure_or_open setuid
same open verdict
cp program setgid
if chgrp "$(id -G | tr ' ' '\n' | tail -n 1)" setgid && chmod 2755 setgid; then
	secure_or_open setgid
fi
# Execute-only, and not to be read; not for others; and with capabilities, but not for root.
if [ "$(id -u)" = 0 ]; then
	chmod -R go+rX tree
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups env HOTPATH_DIR=/nowhere'
	cp program other
	chown 65534:65534 other
	chmod 4755 other
	secure_or_open other
	chmod 4711 setuid
	# shellcheck disable=SC2086
	secure_or_open setuid $nobody
	chmod 2745 setuid
	# shellcheck disable=SC2086
	secure_or_open setuid $nobody
	cp program capable
	# cap_net_raw, permitted and effective.
	python3 -c 'import os, struct
os.setxattr("capable", "security.capability", struct.pack("<5I", 0x2000001, 1 << 13, 0, 0, 0))'
	secure_or_open capable
	# shellcheck disable=SC2086
	secure_or_open capable $nobody
	# shellcheck disable=SC2086
	secure_or_open capable $nobody setpriv --no-new-privs
	# shellcheck disable=SC2086
	secure_or_open setuid $nobody setpriv --no-new-privs
fi

# Without the probe, and without any library of ours.
run "$work/half/cli/hotpath" --alloc ./program
told 'libhotpath-alloc.so was not found'
sees live "$work/half/library/libhotpath.so"
run "$work/half/cli/hotpath" --alloc ./static
quiet stderr
run "$work/none/hotpath" --alloc ./program
[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
says 'libhotpath.so was not found' stderr
sees live nothing
gcc -static program.c -o static
run "$work/none/hotpath" --alloc ./static
told 'it is statically linked'

# With our own libraries: what functions allocate, whatever allocator was preloaded or linked, and in static
# programs.
cat > taking.c << 'END'
#include <stdlib.h>
void *volatile kept;
static void __attribute__((noinline)) take(size_t size)
{
	kept = malloc(size);
}
int main(void)
{
	for (int i = 0; i < 7; i++) {
		take(100);
		if (i < 4)
			free(kept);
	}
	return 3;
}
END
gcc -O1 -finstrument-functions taking.c -o taking
for compiler in gcc clang; do
	expect 0 "$HOTPATH" cc --alloc "$compiler" -O1 -static taking.c -o "taking_$compiler"
	quiet stderr
done

# takes MODE PROGRAM: seven times a hundred bytes; three blocks are left over, which only one mode knows.
takes()
{
	rm -f report
	expect 3 "$HOTPATH" run --format json --output-path report "--alloc=$1" "./$2"
	quiet stderr
	row=$(jq -r '.functions_alloc.data[]? | select(.name == "take") |
		"\(.calls) \(.bytes) \(.count)"' report)
	[ "$row" = '7 700 7' ] || fail "$2, --alloc=$1, ${LD_PRELOAD-}: take has '$row'"
	left=$(jq '[.memory_live.data[]? | select(.name == "take").bytes] | add' report)
	[ "$1" = live ] && expected=300 || expected=null
	[ "$left" = "$expected" ] ||
		fail "$2, --alloc=$1, ${LD_PRELOAD-}: take has $left bytes left, not $expected"
}
for mode in live freed count; do
	takes "$mode" taking
	takes "$mode" taking_gcc
	takes "$mode" taking_clang
	for allocator in libjemalloc.so.2 libmimalloc.so.2 libtcmalloc_minimal.so.4; do
		[ -z "$(LD_PRELOAD=$allocator /bin/true 2>&1)" ] || continue
		LD_PRELOAD=$allocator takes "$mode" taking
		gcc -O1 -finstrument-functions taking.c -Wl,--no-as-needed "-l:$allocator" -o taking_linked ||
			fail "cannot link with $allocator"
		takes "$mode" taking_linked
	done
done
HOTPATH_ALLOC=off "$HOTPATH" run --format json -o report ./taking || true
[ "$(jq '.functions_alloc' report)" = null ] || fail "allocations without --alloc: $(cat report)"

# A program that allocates nothing has allocated nothing, which is not the same as that nobody looked.
cat > nothing.c << 'END'
static void work(void)
{
}
int main(void)
{
	for (int i = 0; i < 7; i++)
		work();
}
END
gcc -O1 -finstrument-functions nothing.c -o nothing
"$HOTPATH" run --alloc --format json -o report ./nothing
jq -e '.functions_alloc | .total_blocks == 0 and [.data[] | select(.name == "work" and .calls == 7)] != []' report \
	> /dev/null || fail "a program that allocates nothing: $(cat report)"
"$HOTPATH" run --format json -o report ./nothing
[ "$(jq '.functions_alloc' report)" = null ] || fail "nobody looked: $(cat report)"

exit "$failed"
