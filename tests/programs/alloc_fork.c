/* SPDX-License-Identifier: MIT */
/*
 * Processes that come of processes: what each allocated, and the blocks that it has of its parent.
 *
 * usage: alloc_fork fork|exec|child
 */
#include "alloc_truth.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

enum {
	INHERITED = 10,
	FREED = 4,
	MOVED = 3,
	CHILDREN = 5,
};

extern char **environ;
static void *blocks[INHERITED];
static void *volatile block;

ALONE static void parent_takes(void)
{
	for (unsigned i = 0; i < INHERITED; i++)
		blocks[i] = malloc(100 + i * 1000);
}

ALONE static void parent_frees(void)
{
	for (unsigned i = 0; i < INHERITED; i++)
		free(blocks[i]);
}

/* What it frees was never its own; nor is the block that it reallocates, but what comes of that. */
ALONE static void child_frees(void)
{
	for (unsigned i = 0; i < FREED; i++)
		free(blocks[i]);
	for (unsigned i = FREED; i < FREED + MOVED; i++)
		blocks[i] = realloc(blocks[i], 50);
}

ALONE static void child_takes(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		block = calloc(1, 33);
}

ALONE static void child_gives_back(void)
{
	free(block);
}

SKIP static void be_a_child(unsigned number)
{
	child_takes(number + 1);
	child_frees();
	child_gives_back();
	allocated("child_takes", (number + 1) * 33, number + 1), freed("child_takes", 0, 0);
	live("child_takes", number * 33, number);
	allocated("child_frees", MOVED * 50, MOVED), freed("child_frees", 0, 0);
	live("child_frees", MOVED * 50, MOVED);
	freed("child_gives_back", 33, 1);
	live("parent_takes", 0, 0);
	dropped("unknown_blocks", FREED + MOVED);
	_exit(0);
}

SKIP static void wait_for_all(void)
{
	int status;

	while (wait(&status) > 0)
		REQUIRE(status == 0);
}

SKIP static void fork_some(void)
{
	for (unsigned i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			be_a_child(i);
	wait_for_all();
}

SKIP static void execute_some(char *self)
{
	char *arguments[] = { self, "child", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv(self, arguments);
		_exit(1);
	}
	REQUIRE(pid > 0 && posix_spawn(&pid, self, NULL, NULL, arguments, environ) == 0);
	wait_for_all();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "fork";
	uint64_t bytes = INHERITED * 100 + INHERITED * (INHERITED - 1) / 2 * 1000;

	parent_takes();
	if (strcmp(what, "fork") == 0)
		fork_some();
	else if (strcmp(what, "exec") == 0)
		execute_some(argv[0]);
	parent_frees();
	parent_takes();
	allocated("parent_takes", 2 * bytes, INHERITED * 2UL),
		live("parent_takes", bytes, INHERITED);
	freed("parent_frees", bytes, INHERITED);
	return 0;
}
