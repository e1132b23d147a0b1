#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath run tells the program to sample, unless the command line or the environment says no. Who asked for samples
# is told in one line if there cannot be any; the program runs all the same.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD
cd "$work"

cat > program.c << 'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	const char *cpu = getenv("HOTPATH_CPU"), *rate = getenv("HOTPATH_CPU_RATE");

	printf("%s %s\n", cpu ? cpu : "-", rate ? rate : "-");
	return 3;
}
END
gcc program.c -o program

# run SEES ARGUMENT...: what the program finds in its environment.
run()
{
	sees=$1
	shift
	expect 3 "$HOTPATH" run --format none "$@"
	same "$sees" stdout
}

run '1 -' ./program
quiet stderr
run '1 -' --cpu ./program
quiet stderr
run '0 -' --no-cpu ./program
quiet stderr
run '1 -' --all ./program
run '0 -' --all --no-cpu ./program
HOTPATH_CPU=0 run '0 -' ./program
HOTPATH_CPU=off run 'off -' ./program
HOTPATH_CPU=0 run '1 -' --all ./program
HOTPATH_CPU=1 run '0 -' --no-cpu ./program
HOTPATH_CPU='' run '1 -' ./program
HOTPATH_CPU=maybe run 'maybe -' ./program
HOTPATH_CPU_RATE=50 run '1 50' ./program
run '1 1' --cpu --rate 1 ./program
run '1 10000' --rate=10000 ./program
HOTPATH_CPU=0 run '1 -' --cpu ./program
HOTPATH_CPU_RATE=50 run '1 50' --cpu ./program
HOTPATH_CPU_RATE=50 run '1 60' --rate 60 ./program

# --all adds the modes of allocations and waits, which can be chosen as well.
cat > asked.sh << 'END'
echo "$HOTPATH_CPU ${HOTPATH_ALLOC:--} ${HOTPATH_WAITS:--}"
END
for line in '1 - -,' '1 live all,--all' '1 count all,--all --alloc=count' '1 live locks,--waits=locks --all' \
	'0 live all,--no-cpu --all' '0 - -,--no-cpu'; do
	# shellcheck disable=SC2086
	expect 0 "$HOTPATH" run --format none ${line#*,} sh asked.sh
	same "${line%,*}" stdout
done

# compare samples only when asked.
# shellcheck disable=SC2016
for line in '-,' '1,--cpu' '1,--all' '0,--no-cpu'; do
	# shellcheck disable=SC2086
	"$HOTPATH" compare --runs 1 --warmup 0 ${line#*,} --base 'echo "${HOTPATH_CPU:--}" > seen' --head true > /dev/null 2>&1 || :
	same "${line%,*}" seen
done

# The program is not run when it cannot be told how.
refuse 2 'run: --no-cpu contradicts --cpu and --rate' "$HOTPATH" run --cpu --no-cpu touch ran
refuse 2 'run: --no-cpu contradicts --cpu and --rate' "$HOTPATH" run --no-cpu --rate 99 touch ran
for rate in 0 10001 many 99.9 -5 '' 99999999999999999999; do
	refuse 2 "--rate: '$rate' is not a number from 1 to 10000" "$HOTPATH" run --cpu "--rate=$rate" touch ran
done
[ ! -e ran ] || fail 'a program was run at no rate'

# told FILE: one line, and what to do in it.
told()
{
	[ "$(wc -l < stderr)" = 1 ] || fail "not one line: $(cat stderr)"
	says "cannot record CPU time of './$1': it is statically linked" stderr
	says "pkg-config --static --libs hotpath'" stderr
}
gcc -static program.c -o static
for asked in '' --cpu; do
	# shellcheck disable=SC2086
	run '1 -' $asked ./static
	quiet stderr
done
HOTPATH_OFF=1 run '1 -' --cpu ./static
told static
# One that brings the recorder, stripped or not; and a malloc of its own hides nothing.
"$HOTPATH" cc gcc -static program.c -o recording
run '1 -' --cpu ./recording
quiet stderr
strip recording
run '1 -' --cpu ./recording
quiet stderr
cat > own.c << 'END'
#include <stddef.h>
void *malloc(size_t size) { static char room[65536], *next = room; return next += (size + 15) / 16 * 16; }
void free(void *block) { (void)block; }
END
gcc program.c own.c -o own
run '1 -' --cpu ./own
quiet stderr

exit "$failed"
