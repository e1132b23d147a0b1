/* SPDX-License-Identifier: MIT */
/* Has stacks of many shapes, which a profiler must be able to walk. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

volatile unsigned long sum;
static ucontext_t home, other;
static jmp_buf back;

/* An emulated machine has a fraction of the work. */
#ifndef FRACTION
#define FRACTION 1
#endif

#define APART __attribute__((noinline))

APART void work(void)
{
	for (long i = 0; i < 20000000 / FRACTION; i++)
		sum += (unsigned long)i;
}
APART void in_handler(void)
{
	work();
	sum++;
}
APART void on_signal(int signal)
{
	in_handler();
	sum += (unsigned long)signal;
}
APART void interrupted(void)
{
	raise(SIGUSR1);
	sum++;
}
APART void interrupted_elsewhere(void)
{
	raise(SIGUSR2);
	sum++;
}
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
APART void in_coroutine(void)
{
	work();
	sum += 2;
}
static void coroutine(void)
{
	in_coroutine();
	sum++;
}
APART int by_key(const void *a, const void *b)
{
	work();
	sum++;
	return *(const int *)a - *(const int *)b;
}
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
	for (int i = 0; i < 1000000 / FRACTION; i++) {
		__asm__ volatile("" ::: "memory");
		sum += (unsigned long)strcmp(a, b);
	}
}
APART void asks(void)
{
	struct timespec now;
	for (int i = 0; i < 2000000 / FRACTION; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sum += (unsigned long)now.tv_nsec;
	}
}
APART void uses_rbx(void)
{
	unsigned long kept = sum;
	work();
	sum += kept;
}
#ifdef __x86_64__
/* As the dynamic linker does where it finds functions at their first call. */
void by_rbx(void);
__asm__(".text\nby_rbx: .cfi_startproc; push %rbx; .cfi_def_cfa_offset 16; .cfi_offset rbx, -16; mov %rsp, %rbx;"
	".cfi_def_cfa_register rbx; and $-64, %rsp; sub $1024, %rsp; call uses_rbx; mov %rbx, %rsp;"
	".cfi_def_cfa_register rsp; pop %rbx; .cfi_def_cfa_offset 8; .cfi_restore rbx; ret; .cfi_endproc;"
	".type by_rbx, @function; .size by_rbx, . - by_rbx");
#else
APART void by_rbx(void)
{
	uses_rbx();
	sum++;
}
#endif
APART void finds(void)
{
	by_rbx();
	sum++;
}
APART void leaves(int n)
{
	sum++;
	longjmp(back, n);
}
APART void jumps(void)
{
	for (volatile int i = 0; i < 20000000 / FRACTION; i++)
		if (!setjmp(back))
			leaves(1);
	sum++;
}
static void handle(int signal, int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	sigaction(signal, &action, NULL);
}
/* With an argument: no signal handler, and no other stack than its own. */
int main(int argc, char **argv)
{
	static char stack[1 << 16];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	(void)argv;
	deep(40);
	aligns();
	varies(sum % 100 + 100);
	sorts();
	compares();
	jumps();
	asks();
	finds();
	if (argc > 1)
		return 0;
	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, 0);
	handle(SIGUSR2, SA_ONSTACK);
	interrupted();
	interrupted_elsewhere();
	getcontext(&other);
	other.uc_stack.ss_size = 1 << 18;
	other.uc_stack.ss_sp = malloc(other.uc_stack.ss_size);
	other.uc_link = &home;
	makecontext(&other, coroutine, 0);
	swapcontext(&home, &other);
	return 0;
}
