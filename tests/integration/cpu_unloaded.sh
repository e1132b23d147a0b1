#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that is not there any more has its name all the same: of libraries that were unloaded, of the vdso, of
# pages that the program moved, of a program that was killed. A file that was replaced names nothing.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
programs=$(cd "$(dirname "$0")/../programs" && pwd)
unset LD_PRELOAD
cd "$work"

build() { gcc -O1 -g -fno-omit-frame-pointer -I "$programs" "$@"; }

# folded: the stacks of the last run.
folded()
{
	expect 0 "$HOTPATH" export --format folded -o -
	mv stdout folded
}

# is_within FUNCTION SAMPLES: about so many have it in their stack, called by main.
is_within()
{
	awk -v name=";main;.*run;$1;" -v wanted="$2" '$0 ~ name { sum += $NF }
		END { exit sum < wanted * 0.9 || sum > wanted * 1.1 }' folded ||
		fail "$1 by $source has not $2 samples: $(cat folded)"
}

# Two libraries, one after the other, at one address.
cat > library.c << 'END'
#include "compute.h"
__attribute__((noinline)) void NAME(void) { compute(150); }
void run(void) { NAME(); NAME(); }
END
build -shared -fPIC -DNAME=first_library library.c -o first.so
build -shared -fPIC -DNAME=second_library library.c -o second.so
cat > loads.c << 'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*run)(void) = library ? (void (*)(void))dlsym(library, "run") : 0;
		if (!run)
			return 2;
		printf("%p\n", (void *)run);
		run();
		dlclose(library);
	}
	return 0;
}
END
build loads.c -o loads
for source in $sources; do
	sampled "$source" ./loads ./first.so ./second.so ./first.so
	[ "$(sort -u stdout | wc -l)" = 1 ] || echo "not at one address: $(cat stdout)"
	folded
	is_within first_library 600
	is_within second_library 300
	! grep -q 'first_library.*second_library' folded || fail "one library in another: $(cat folded)"
done

# The kernel's own library.
cat > clock.c << 'END'
#include <time.h>
int main(void)
{
	struct timespec now;
	long long end;
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec * 1000LL + now.tv_nsec / 1000000 + 400;
	while (now.tv_sec * 1000LL + now.tv_nsec / 1000000 < end)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return 0;
}
END
build clock.c -o clock
sampled perf ./clock
holds '.functions_cpu.data[0].name | test("clock_gettime")'
folded
grep -q 'main;.*clock_gettime' folded || fail "no vdso: $(cat folded)"

# Moved to where nothing else of its file is.
sampled perf "$BUILD/tests/programs/moved_code"
holds '.functions_cpu.data[0].name == "spin"'

# Killed while it computed.
cat > killed.c << 'END'
#include "compute.h"
#include <signal.h>
__attribute__((noinline)) static void before_the_end(void) { compute(300); compute(1); }
int main(void) { before_the_end(); raise(SIGKILL); return 0; }
END
build killed.c -o killed
expect 137 "$HOTPATH" run --cpu --format json -o report ./killed
holds '.functions_cpu | .data[0].name == "compute" and .total_samples > 250'
folded
grep -q '^.*main;before_the_end;compute ' folded || fail "no stack of what was killed: $(cat folded)"

# Another program by the same name.
sed 's/before_the_end/after_it_all/' killed.c > other.c
build other.c -o other
mv other killed
folded
! grep -q 'after_it_all' folded || fail "names of another program: $(cat folded)"
grep -q 'killed+0x' folded || fail "no place in the program: $(cat folded)"

exit "$failed"
