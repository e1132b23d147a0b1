/* SPDX-License-Identifier: MIT */
/*
 * Measured code on stacks that are hardly large enough, each with a page below it that nobody may touch.
 *
 *	small_stacks ACCOUNT signals SIZE    a handler on an alternate stack; 0 is MINSIGSTKSZ, and what a measured call takes
 *	small_stacks ACCOUNT contexts SIZE   a coroutine
 *	small_stacks ACCOUNT threads SIZE    threads, one after the other; 0 is PTHREAD_STACK_MIN
 *
 * On each it computes long enough for some samples to fall there.
 */
#include <hotpath.h>

#include "account.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
	VISITS = 400,
	THREADS = 40,
	SPINS = 100000,
	/* The most that a measured call takes of a stack, as the manual says. MINSIGSTKSZ is for a handler that does nothing. */
	CALL_MAX = 1024,
};

__attribute__((noinline)) static void work(void)
{
	HOTPATH_MEASURE();
	for (volatile unsigned i = 0; i < SPINS; i++)
		;
}

static void call(unsigned slot)
{
	work();
	count(&account->work[slot]);
}

/* The pages of a stack, behind one that is forbidden; its first byte. */
static char *make_stack(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page + (size + page - 1) / page * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE))
		exit(3);
	return memory + page;
}

/* ---- a handler ---- */

static void handle(int signal)
{
	(void)signal;
	call(0);
}

static int signals(size_t size)
{
	const struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = make_stack(size), .ss_size = size };

	/* Kernels for aarch64 refuse the size that they tell, which has no room for anything but the saved registers. */
	for (; sigaltstack(&stack, NULL); stack.ss_size += 1024)
		if (errno != ENOMEM)
			return 3;
	if (sigaction(SIGUSR1, &action, NULL))
		return 3;
	for (int i = 0; i < VISITS; i++)
		raise(SIGUSR1);
	return 0;
}

/* ---- a coroutine ---- */

static ucontext_t outside, inside;

static void visit(void)
{
	for (;;) {
		call(0);
		swapcontext(&inside, &outside);
	}
}

static int contexts(size_t size)
{
	getcontext(&inside);
	inside.uc_stack.ss_sp = make_stack(size);
	inside.uc_stack.ss_size = size;
	makecontext(&inside, visit, 0);
	for (int i = 0; i < VISITS; i++)
		swapcontext(&outside, &inside);
	return 0;
}

/* ---- threads ---- */

static void *live(void *unused)
{
	for (int i = 0; i < VISITS / THREADS; i++)
		call(0);
	return unused;
}

static int threads(size_t size)
{
	size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_t attributes;
	pthread_t thread;

	if (size < least)
		size = least;
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, size))
		return 3;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, &attributes, live, NULL))
			return 4;
		pthread_join(thread, NULL);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(size_t size);
	int least;
	size_t more;
} kinds[] = {
	{ "signals", signals, _SC_MINSIGSTKSZ, CALL_MAX },
	{ "contexts", contexts, _SC_MINSIGSTKSZ, 0 },
	{ "threads", threads, _SC_THREAD_STACK_MIN, 0 },
};

int main(int argc, char **argv)
{
	HOTPATH_MAIN();

	if (argc != 4 || account_open(argv[1]))
		return 2;
	account->pid = (uint64_t)getpid();
	/* The function is known before it is called on a small stack. */
	call(1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[2], kinds[i].name) == 0) {
			size_t size = strtoul(argv[3], NULL, 10);
			size_t least = (size_t)sysconf(kinds[i].least) + kinds[i].more;
			int status = kinds[i].run(size ? size : least);
			printf("%s: %d\n", argv[2], status);
			return status;
		}
	return 2;
}
