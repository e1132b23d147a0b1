/* SPDX-License-Identifier: MIT */
/*
 * Allocates until it is killed, and says in a file how far it is.
 *
 * usage: alloc_killed run FILE		a block of 100 bytes with each step, and one is freed with every third
 *	  alloc_killed strike FILE STEPS	kill it when it is so far
 *	  alloc_killed steps FILE		print how far it was
 */
#include "alloc_truth.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SIZE = 100,
	KEPT = 1024,
};

struct progress {
	uint64_t pid;
	uint64_t steps;
};

static void *kept[KEPT];

ALONE static void takes(uint64_t step)
{
	kept[step % KEPT] = malloc(SIZE);
}

/* One that was not freed before: of three that were put there since, the last. */
ALONE static void frees(uint64_t step)
{
	free(kept[step / 3 % KEPT]);
}

SKIP static struct progress *open_progress(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT, 0600);

	REQUIRE(file >= 0 && ftruncate(file, sizeof(struct progress)) == 0);
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED, file, 0);
	REQUIRE(progress != MAP_FAILED);
	return progress;
}

SKIP _Noreturn static void run(struct progress *progress)
{
	__atomic_store_n(&progress->pid, (uint64_t)getpid(), __ATOMIC_RELEASE);
	for (uint64_t step = 0;; step++) {
		takes(step);
		if (step % 3 == 2)
			frees(step);
		__atomic_store_n(&progress->steps, step + 1, __ATOMIC_RELEASE);
	}
}

SKIP static void strike(struct progress *progress, uint64_t steps)
{
	while (__atomic_load_n(&progress->steps, __ATOMIC_ACQUIRE) < steps)
		sched_yield();
	REQUIRE(kill((pid_t)progress->pid, SIGKILL) == 0);
}

int main(int argc, char **argv)
{
	REQUIRE(argc > 2);
	struct progress *progress = open_progress(argv[2]);

	if (strcmp(argv[1], "run") == 0)
		run(progress);
	else if (strcmp(argv[1], "strike") == 0)
		strike(progress, strtoull(argv[3], NULL, 10));
	else
		printf("%" PRIu64 "\n", progress->steps);
	return 0;
}
