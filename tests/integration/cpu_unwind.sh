#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of programs without frame pointers are those that the source says: in recursion, in functions that align their stack,
# in functions of the C library, in longjmp, in assembly with a stack frame of its own kind, while C++ unwinds, in signal
# handlers, on the stacks of coroutines, and while libraries are loaded and unloaded by another thread.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/cpu_common.sh"
unset LD_PRELOAD
programs=$(cd "$(dirname "$0")/../programs" && pwd)
cd "$work"

# folded: the stacks of the last run.
folded()
{
	expect 0 "$HOTPATH" export --format folded -o -
	mv stdout folded
}

# only FUNCTION PATTERN: all stacks that have the function match, and there are some.
only()
{
	grep ";$1[; ]" folded > having || fail "no stack has $1: $(cat folded)"
	! grep -qv "$2" having || fail "$1 is not always in '$2': $(cat having)"
}

main='nested;_start;__libc_start_main[^;]*;\(__libc_start_call_main;\)*main'
for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -O2 -fomit-frame-pointer "$programs/nested.c" -o nested
	settles '.functions_cpu.whole_percent >= 98' sampled perf ./nested
	folded
	forty=$(printf '%040d' 0 | sed 's/0/deep;/g')
	only in_handler ";main;interrupted\(_elsewhere\)*;.*;on_signal;in_handler;work "
	# A sample may be taken before the signal is.
	handled='\(.*;on_signal;in_handler;work\|raise[^;]*\|raise;__pthread_kill_implementation\)'
	only interrupted "^$main;interrupted;$handled "
	only interrupted_elsewhere "^$main;interrupted_elsewhere;$handled "
	only deep "^$main;${forty}deep;work "
	only aligns "^$main;aligns;work "
	only varies "^$main;varies;work "
	only by_key "^$main;sorts;.*by_key;work "
	only compares "^$main;compares\(;.*strcmp.*\|;.*libc.*\|;_dl_.*\|;ld-linux.*\)* [0-9]*$"
	grep -q "^$main;compares;.*strcmp" folded || fail "no strcmp in its caller: $(cat folded)"
	# The kernel's code, too, which reads the clock, has its callers.
	only asks "^$main;asks[; ]"
	only uses_rbx "^$main;finds;by_rbx;uses_rbx;work "
	only jumps "^$main;jumps[; ]"
	only leaves "^$main;jumps;leaves"
	! grep '\[cut off\];[^;]*longjmp' folded || fail "a jump has no caller: $(cat folded)"
	only in_coroutine ';coroutine;in_coroutine;work '

	# Where a function with a frame record is jumped to, it does not look like the caller of who jumps there.
	"$compiler" -O2 -fno-omit-frame-pointer "$programs/nested.c" -o nested
	sampled perf ./nested
	folded
	only jumps "^$main;jumps[; ]"
	only leaves "^$main;jumps;leaves"
	! grep '\[cut off\];[^;]*longjmp\|;leaves;jumps[; ]' folded || fail "a jump has no caller: $(cat folded)"
done

# shellcheck disable=SC2034
run_options=--rate=9999
for compiler in g++ clang++; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -O2 -fomit-frame-pointer "$programs/throws.cpp" -o throws
	settles '.functions_cpu.whole_percent >= 98' sampled perf ./throws
	folded
	grep -q ';main;catches.*;between.*;thrower.*;__cxa_throw;_Unwind_RaiseException[; ]' folded ||
		fail "no unwinding in its caller: $(cat folded)"
	grep -v '^throws;\[cut off\]' folded > whole
	# Shortly before the jump to a landing pad, the function that has it is the caller. On aarch64 functions stay in the stack until
	# nothing but the jump is left to do: in 4 % of all samples the return address is replaced, so they would not be whole otherwise.
	landing=';main;catches[^;]*;\(between\|rethrows\)[^;]*;_Unwind_RaiseException'
	if [ "$(uname -m)" = aarch64 ]; then
		! grep "$landing;" whole || fail "a landing pad is the caller: $(cat whole)"
	else
		grep -q "${landing}[; ]" whole || fail "no landing pad is the caller: $(cat whole)"
	fi
	grep -q ';main;catches[^;]*;raises[^;]*;_Unwind_RaiseException;' whole ||
		fail "no caller of who went there by a jump: $(cat whole)"
	! grep ';_Unwind_R[a-zA-Z]*[; ]' whole | grep -v ';main;catches[^;]*;' ||
		fail "unwinding in other callers: $(cat whole)"
done

# Other threads are walked all the time while code goes and comes.
cat > library.c << 'END'
volatile unsigned long library_sum;
__attribute__((noinline)) void inside(void) { for (int i = 0; i < 3000; i++) library_sum += (unsigned long)i; library_sum++; }
void run(void) { inside(); library_sum++; }
END
cat > reloads.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sum;
static volatile int done;
__attribute__((noinline)) static void computes(void) { for (int i = 0; i < 30000; i++) sum += (unsigned long)i; sum++; }
static void *thread(void *unused) { while (!done) { computes(); free(malloc(100)); } return unused; }
int main(int argc, char **argv)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	while (clock() < CLOCKS_PER_SEC) {
		void *library = dlopen(argv[argc > 1], RTLD_NOW);
		void (*run)(void) = library ? (void (*)(void))dlsym(library, "run") : NULL;
		if (!run)
			return 2;
		run();
		dlclose(library);
	}
	done = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
gcc -O2 -fomit-frame-pointer -shared -fPIC library.c -o library.so
gcc -O2 -fomit-frame-pointer -pthread reloads.c -o reloads
sampled perf ./reloads ./library.so
folded
grep -q ';main;run;inside ' folded || fail "no stack in the library: $(cat folded)"
only computes ';thread;computes '

exit "$failed"
