/* SPDX-License-Identifier: MIT */
/*
 * How much stack a measured call takes in a signal handler: the first one of the process, one that is like others, so many
 * that they are added up in between, and the first one of a thread. Prints the bytes of each beyond those of a handler that
 * measures nothing. Linked with -z now: what the dynamic linker takes for the program itself is not ours.
 */
#include <hotpath.h>

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
	STACK = 64 * 1024,
	MANY = 2000,
};

static char memory[STACK];
static volatile int calls, sum;
static int plain;

__attribute__((noinline)) static void measured(void)
{
	HOTPATH_MEASURE();

	sum++;
}

static void handler(int signal)
{
	(void)signal;
	for (int i = 0; i < calls; i++)
		measured();
}

/* What a handler that calls so often has written to. */
static int used(int count)
{
	size_t untouched = 0;

	calls = count;
	memset(memory, 'x', STACK);
	raise(SIGUSR1);
	while (untouched < STACK && memory[untouched] == 'x')
		untouched++;
	return (int)(STACK - untouched);
}

static void use_stack(void)
{
	const stack_t stack = { .ss_sp = memory, .ss_size = STACK };

	if (sigaltstack(&stack, NULL))
		err(2, "sigaltstack");
}

static void *thread(void *unused)
{
	use_stack();
	printf("thread %d\n", used(1) - plain);
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	pthread_t other;

	use_stack();
	sigaction(SIGUSR1, &action, NULL);
	plain = used(0);
	int first = used(1), next = used(1), many = used(MANY);
	printf("process %d\nnext %d\nmany %d\n", first - plain, next - plain, many - plain);
	if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL))
		errx(2, "no thread");
	return 0;
}
