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
cat > nested.c << 'END'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

volatile unsigned long sum;
static ucontext_t home, other;
static jmp_buf back;

#define APART __attribute__((noinline))

APART void work(void)
{
	for (long i = 0; i < 20000000; i++)
		sum += (unsigned long)i;
}
APART void in_handler(void) { work(); sum++; }
APART void on_signal(int signal) { in_handler(); sum += (unsigned long)signal; }
APART void interrupted(void) { raise(SIGUSR1); sum++; }
APART void interrupted_elsewhere(void) { raise(SIGUSR2); sum++; }
APART unsigned long deep(unsigned long n)
{
	if (!n)
		work();
	return n ? deep(n - 1) + sum : sum;
}
APART void aligns(void)
{
	volatile char text[64] __attribute__((aligned(64)));
	text[0] = 1;
	work();
	sum += (unsigned char)text[0];
}
APART void varies(size_t size)
{
	volatile char text[size];
	text[size / 2] = 1;
	work();
	sum += (unsigned char)text[size / 2];
}
APART void in_coroutine(void) { work(); sum += 2; }
static void coroutine(void) { in_coroutine(); sum++; }
APART int by_key(const void *a, const void *b) { work(); sum++; return *(const int *)a - *(const int *)b; }
APART void sorts(void)
{
	int two[] = { 2, 1 };
	qsort(two, 2, sizeof(*two), by_key);
	sum++;
}
APART void compares(void)
{
	static char a[4096], b[4096];
	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'a', sizeof(b) - 1);
	for (int i = 0; i < 1000000; i++) {
		__asm__ volatile("" ::: "memory");
		sum += (unsigned long)strcmp(a, b);
	}
}
APART void uses_rbx(void) { unsigned long kept = sum; work(); sum += kept; }
#ifdef __x86_64__
/* As the dynamic linker does where it finds functions at their first call. */
void by_rbx(void);
__asm__(".text\nby_rbx: .cfi_startproc; push %rbx; .cfi_def_cfa_offset 16; .cfi_offset rbx, -16; mov %rsp, %rbx;"
	".cfi_def_cfa_register rbx; and $-64, %rsp; sub $1024, %rsp; call uses_rbx; mov %rbx, %rsp;"
	".cfi_def_cfa_register rsp; pop %rbx; .cfi_def_cfa_offset 8; .cfi_restore rbx; ret; .cfi_endproc;"
	".type by_rbx, @function; .size by_rbx, . - by_rbx");
#else
APART void by_rbx(void) { uses_rbx(); sum++; }
#endif
APART void finds(void) { by_rbx(); sum++; }
APART void leaves(int n) { sum++; longjmp(back, n); }
APART void jumps(void)
{
	for (volatile int i = 0; i < 20000000; i++)
		if (!setjmp(back))
			leaves(1);
	sum++;
}
static void handle(int signal, int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	sigaction(signal, &action, NULL);
}
int main(void)
{
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, 0);
	handle(SIGUSR2, SA_ONSTACK);
	interrupted();
	interrupted_elsewhere();
	deep(40);
	aligns();
	varies(sum % 100 + 100);
	sorts();
	compares();
	jumps();
	finds();
	getcontext(&other);
	other.uc_stack.ss_size = 1 << 18;
	other.uc_stack.ss_sp = malloc(other.uc_stack.ss_size);
	other.uc_link = &home;
	makecontext(&other, coroutine, 0);
	swapcontext(&home, &other);
	return 0;
}
END
for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -O2 -fomit-frame-pointer nested.c -o nested
	settles '.functions_cpu.whole_percent >= 98' sampled perf ./nested
	folded
	forty=$(printf '%040d' 0 | sed 's/0/deep;/g')
	only in_handler ";main;interrupted\(_elsewhere\)*;.*;on_signal;in_handler;work "
	only interrupted "^$main;interrupted;.*;on_signal;in_handler;work "
	only interrupted_elsewhere "^$main;interrupted_elsewhere;.*;on_signal;in_handler;work "
	only deep "^$main;${forty}deep;work "
	only aligns "^$main;aligns;work "
	only varies "^$main;varies;work "
	only by_key "^$main;sorts;.*by_key;work "
	only compares "^$main;compares\(;.*strcmp.*\|;.*libc.*\|;_dl_.*\|;ld-linux.*\)* [0-9]*$"
	grep -q "^$main;compares;.*strcmp" folded || fail "no strcmp in its caller: $(cat folded)"
	only uses_rbx "^$main;finds;by_rbx;uses_rbx;work "
	only leaves "^$main;jumps;leaves"
	! grep '\[cut off\];[^;]*longjmp' folded || fail "a jump has no caller: $(cat folded)"
	only in_coroutine ';coroutine;in_coroutine;work '
done

cat > throws.cpp << 'END'
#include <ctime>
#include <string>
#include <stdexcept>
volatile unsigned long sum;
__attribute__((noinline)) void thrower(int n) { if (n >= 0) throw std::runtime_error(std::to_string(n)); sum = sum + 1; }
__attribute__((noinline)) void between(int n) { std::string kept(100, 'x'); thrower(n); sum = sum + kept.size(); }
__attribute__((noinline)) void rethrows(int n) { try { thrower(n); } catch (...) { sum = sum + 1; throw; } }
__attribute__((noinline)) void catches(void)
{
	for (int i = 0; i < 1000; i++)
		try {
			if (i % 2)
				between(i);
			else
				rethrows(i);
		} catch (const std::exception &e) {
			sum = sum + e.what()[0];
		}
}
int main() { while (clock() < CLOCKS_PER_SEC / 4) catches(); return 0; }
END
# shellcheck disable=SC2034
run_options=--rate=9999
for compiler in g++ clang++; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -O2 -fomit-frame-pointer throws.cpp -o throws
	settles '.functions_cpu.whole_percent >= 98' sampled perf ./throws
	folded
	grep -q ';main;catches.*;between.*;thrower.*;__cxa_throw;_Unwind_RaiseException[; ]' folded ||
		fail "no unwinding in its caller: $(cat folded)"
	# Shortly before the jump to a landing pad, the function that has it is the caller.
	grep -v '^throws;\[cut off\]' folded > whole
	grep -q ';main;catches[^;]*;\(between\|rethrows\)[^;]*;_Unwind_RaiseException[; ]' whole ||
		fail "no landing pad is the caller: $(cat whole)"
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
