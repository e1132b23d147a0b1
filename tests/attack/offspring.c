/* SPDX-License-Identifier: MIT */
/*
 * A family of processes, each of which calls, has children of its own and ends in its own way.
 *
 *	offspring ACCOUNT SEED
 *
 * The account has a slot for each: how often it called, and where others count new functions, its process id.
 */
#include <hotpath.h>

#include "account.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static unsigned seed;

/* The same numbers wherever it runs. */
static unsigned next(unsigned range)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % range;
}

__attribute__((noinline)) static void work(void)
{
	HOTPATH_MEASURE();
}

static void call(unsigned slot, unsigned calls)
{
	while (calls--) {
		work();
		count(&account->work[slot]);
	}
}

/* Slots are given away in turns; the word of steps has the next one. */
static unsigned take_slot(void)
{
	return (unsigned)__atomic_fetch_add(&account->steps, 1, __ATOMIC_RELAXED);
}

static void end(unsigned way)
{
	switch (way) {
	case 0:
		_exit(0);
	case 1:
		raise(SIGKILL);
		break;
	case 2:
		execl("/bin/true", "true", (char *)NULL);
		break;
	default:
		exit(0);
	}
}

static void live(unsigned slot, unsigned generations)
{
	call(slot, next(2000));
	for (unsigned children = next(3) + 1; generations && children; children--) {
		unsigned child = take_slot();
		unsigned childs_seed = next(1 << 15);
		pid_t pid = child < ACCOUNT_SLOTS ? fork() : -1;
		if (pid == 0) {
			seed = childs_seed;
			account->fresh[child] = (uint64_t)getpid();
			live(child, generations - 1);
			end(next(4));
		}
		call(slot, next(200));
		/* Some are waited for at once, others have company. */
		if (pid > 0 && next(2))
			waitpid(pid, NULL, 0);
	}
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();

	if (argc != 3 || account_open(argv[1]))
		return 2;
	seed = (unsigned)atoi(argv[2]);
	account->pid = (uint64_t)getpid();
	unsigned slot = take_slot();
	account->fresh[slot] = (uint64_t)getpid();
	live(slot, 3);
	printf("all have ended\n");
	return 5;
}
