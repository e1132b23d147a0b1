/* SPDX-License-Identifier: MIT */
/*
 * A thread that computes, until the input of the program ends.
 *
 * A line on standard output says that it has begun.
 */
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static atomic_bool is_over;

static void *compute(void *unused)
{
	prctl(PR_SET_NAME, "busy");
	puts("busy");
	fflush(stdout);
	while (!is_over)
		for (volatile int i = 0; i < 100000; i++)
			;
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, compute, NULL))
		errx(2, "no thread");
	while (getchar() != EOF)
		;
	is_over = true;
	pthread_join(thread, NULL);
	return 0;
}
