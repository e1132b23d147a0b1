/* SPDX-License-Identifier: MIT */
/*
 * Begins as root, gives that up, and only then measures: drops setuid, drops chroot FOLDER, or both. With "nothing" as
 * well it measures nothing; with "fork", a child does. It says on standard output how often it has called.
 */
#include <hotpath.h>

#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, CALLS = 100 };

__attribute__((noinline)) static void measured(void)
{
	HOTPATH_MEASURE();
	__asm__ volatile("" : : : "memory");
}

static int become_nobody(void)
{
	return setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY);
}

static int change_root(const char *folder)
{
	return chroot(folder) || chdir("/");
}

static void work(void)
{
	for (int i = 0; i < CALLS; i++)
		measured();
	printf("%d\n", CALLS);
}

static int fork_and_work(void)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0) {
		work();
		return 0;
	}
	waitpid(child, &status, 0);
	return status != 0;
}

int main(int count, char **words)
{
	int failed = 0, forks = 0, nothing = 0;

	for (int i = 1; i < count && !failed; i++) {
		forks |= strcmp(words[i], "fork") == 0;
		nothing |= strcmp(words[i], "nothing") == 0;
		if (strcmp(words[i], "setuid") == 0)
			failed = become_nobody();
		else if (strcmp(words[i], "chroot") == 0)
			failed = change_root(words[++i]);
	}
	if (failed)
		perror("drops");
	else if (forks)
		failed = fork_and_work();
	else if (!nothing)
		work();
	return failed;
}
