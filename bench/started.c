/* SPDX-License-Identifier: MIT */
/*
 * A program that starts, calls one function and ends. With HOTPATH_ENABLE, that call is measured.
 *
 * usage: started
 *        started times ROUNDS PROGRAM [ARGUMENT …]    prints the least time in milliseconds that the program takes
 */
#include <hotpath.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) void work(void)
{
	HOTPATH_MEASURE();
	__asm__ volatile("");
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double time_of(char **command)
{
	double start = now_ms();
	int status = -1;
	pid_t child;

	if (posix_spawn(&child, command[0], NULL, NULL, command, environ) == 0)
		waitpid(child, &status, 0);
	return status == 0 ? now_ms() - start : 1e9;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	double least = 1e9;

	for (unsigned long i = 0; i < rounds; i++) {
		double time = time_of(argv + 3);
		least = time < least ? time : least;
	}
	if (rounds)
		printf("%f\n", least);
	else
		work();
	return 0;
}
