/* SPDX-License-Identifier: MIT */
/* Other ways to another process: vfork, posix_spawn, the bare system call, and exec in place of itself. */
#include <hotpath.h>

#include "truth.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

__attribute__((noinline)) static void measured(void)
{
	HOTPATH_MEASURE();
}

static void measure(int times)
{
	for (int i = 0; i < times; i++)
		measured();
}

static void measure_and_tell(int times)
{
	measure(times);
	truth_of_process("measured", (uint64_t)times, NULL, 0);
}

int main(int argc, char **argv)
{
	char name[] = "true", *child[] = { argv[0], name, NULL }, *nothing[] = { name, NULL };
	const char *self = "/proc/self/exe";
	pid_t pid;

	if (argc > 1) {
		measure_and_tell(7);
		return 0;
	}
	measure(20);
	pid = vfork();
	if (pid == 0) {
		execv(self, child);
		_exit(1);
	}
	measure(20);
	if (posix_spawn(&pid, self, NULL, NULL, child, environ) ||
	    posix_spawnp(&pid, "true", NULL, NULL, nothing, environ))
		return 1;
	measure(20);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		measure_and_tell(3);
		_exit(0);
	}
	measure(20);
	if (fork() == 0) {
		measure_and_tell(5);
		execv(self, child);
		_exit(1);
	}
	while (wait(NULL) > 0)
		;
	measure(20);
	truth_of_process("measured", 100, NULL, 0);
	return 0;
}
