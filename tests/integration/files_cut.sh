#!/bin/sh
# SPDX-License-Identifier: MIT
# A program's file, or what it has for debuggers, is cut short or built anew while it is read: whoever reads it goes on.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
cd "$work"
cuts=$BUILD/tests/programs/cuts.so

cat > shop.c << 'END'
static volatile unsigned sum;

static inline __attribute__((always_inline)) void add_up(unsigned n)
{
	for (volatile int i = 0; i < 200; i++)
		sum += n;
}

__attribute__((noinline)) static void worker(unsigned n)
{
	add_up(n);
}

int main(void)
{
	for (unsigned i = 0; i < 20000; i++)
		worker(i);
	return 0;
}
END

# read_while_cut WHAT FILE SIZE COMMAND...: cut at each of the moments at which the command opens, maps or reads the file.
read_while_cut()
{
	what=$1 file=$2 size=$3
	shift 3
	cp "$file" kept
	cuts_done=0
	for moment in $(seq 500); do
		ended=0
		CUT_FILE=$work/$file CUT_AFTER=$moment CUT_SIZE=$size LD_PRELOAD=$cuts "$@" \
			> stdout 2> stderr || ended=$?
		[ "$ended" -lt 128 ] || fail "$what, cut to $size at moment $moment: $* ends with $ended"
		! cmp -s "$file" kept || break
		cp kept "$file"
		cuts_done=$moment
	done
	[ "$cuts_done" -ge 2 ] || fail "$what: $* was cut only at $cuts_done moments"
	[ "$ended" = 0 ] || fail "$what: $* ends with $ended: $(cat stderr)"
	echo "$what: $cuts_done moments: $*"
}

# readers WHAT FILE
readers()
{
	expect 0 "$HOTPATH" run --cpu --format none ./shop
	read_while_cut "$1" "$2" 4096 "$HOTPATH" report
	read_while_cut "$1" "$2" 0 "$HOTPATH" export --format folded -o -
	rm "$HOTPATH_DIR"/*
}

cc='gcc -O1 -fno-omit-frame-pointer shop.c'
hotpath_cc="$HOTPATH cc $cc"
$hotpath_cc -g -o shop
readers 'the program' shop

$hotpath_cc -g -Wl,--build-id=none -o shop
objcopy --only-keep-debug shop shop.debug
objcopy --strip-debug --strip-unneeded --add-gnu-debuglink=shop.debug shop
readers 'the file of its symbols' shop.debug

$hotpath_cc -g -gsplit-dwarf -c -o shop.o
$HOTPATH cc gcc shop.o -o shop
readers 'the file of its unit' shop.dwo

# The recorder looks for names where the program says which of the functions that call hooks are to be measured.
# shellcheck disable=SC2086
$HOTPATH cc --hooks --skip=add_up $cc -o shop
cp shop shop.other
for moment in 1 2; do
	cp shop.other shop.new
	CUT_FILE=$work/shop CUT_AFTER=$moment CUT_SIZE=4096 LD_PRELOAD=$BUILD/src/library/libhotpath.so:$cuts \
		HOTPATH_RUN=cut HOTPATH_OUTPUT_FORMAT=none expect 0 ./shop
	quiet stdout
	quiet stderr
	[ "$(stat -c %s shop)" = 4096 ] || fail "the recorder has not looked $moment times"
	rm -f "$HOTPATH_DIR"/*
	cp --remove-destination shop.other shop
done

exit "$failed"
