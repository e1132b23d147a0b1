/* SPDX-License-Identifier: MIT */
/* A program that measures and allocates in every way, and does nothing that memcheck would report: what it reports is ours. */
#include <hotpath.h>

#include <err.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 200 };

static void *volatile block;

static void fill(void *memory, size_t size)
{
	block = memory;
	if (!block)
		err(2, "no memory");
	memset(block, 1, size);
	free(block);
}

__attribute__((noinline)) static void allocate(size_t size)
{
	HOTPATH_MEASURE();
	void *aligned = NULL;

	fill(malloc(size), size);
	fill(calloc(1, size), size);
	fill(realloc(realloc(NULL, size / 2), size), size);
	if (posix_memalign(&aligned, 64, size) == 0)
		fill(aligned, size);
	fill(strdup("text"), 4);
}

static void on_signal(int signal)
{
	HOTPATH_MEASURE();

	(void)signal;
}

static void *run(void *unused)
{
	for (size_t i = 0; i < MANY; i++) {
		allocate(1 + i * 7);
		raise(SIGUSR1);
	}
	/* Larger than what comes from a heap. */
	allocate(1 << 20);
	return unused;
}

int main(void)
{
	HOTPATH_MAIN();
	pthread_t thread;
	static char memory[1 << 16];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	run(NULL);
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		errx(2, "no thread");
	puts("done");
	return 0;
}
