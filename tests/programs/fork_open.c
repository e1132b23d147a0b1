/* SPDX-License-Identifier: MIT */
/*
 * Forks in the midst of measured functions; parent, child and grandchild go on and end them.
 *
 * usage: fork_open exit|_exit     how the children end
 */
#include <hotpath.h>

#include "truth.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static struct hotpath_span operation;
static uint64_t inners;

__attribute__((noinline)) static void inner(void)
{
	HOTPATH_MEASURE();

	inners++;
}

/* What the parent had measured is not the child's. */
static pid_t fork_and_forget(void)
{
	pid_t pid = fork();

	if (pid == 0)
		inners = 0;
	return pid;
}

/* The children come back from here too: only the parent's call is one. */
__attribute__((noinline)) static pid_t outer(void)
{
	HOTPATH_MEASURE();
	pid_t pid;

	for (int i = 0; i < 100; i++)
		inner();
	pid = fork_and_forget();
	for (int i = 0; i < (pid ? 10 : 1000); i++)
		inner();
	if (pid == 0 && fork_and_forget() == 0)
		for (int i = 0; i < 70; i++)
			inner();
	return pid;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	pid_t parent = getpid();

	/* One that measures nothing leaves nothing. */
	HOTPATH_SPAN_BEGIN(operation, "operation");
	if (fork() == 0)
		_exit(0);
	outer();
	HOTPATH_SPAN_END(operation);
	while (wait(NULL) > 0)
		;
	if (getpid() == parent) {
		printf("{\"pid\":%d,\"calls\":{\"inner\":%d,\"operation\":1,\"outer\":1}}\n",
		       parent, 110);
		return 0;
	}
	truth_of_process("inner", inners, NULL, 0);
	if (argc > 1 && strcmp(argv[1], "_exit") == 0)
		_exit(0);
	return 0;
}
