/* SPDX-License-Identifier: MIT */
/*
 * A measured program that goes on until it is told to end, by SIGTERM: one function is called all the time, another
 * one was called three times. It says when it has begun.
 */
#include "hotpath.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile sig_atomic_t ending;

static void end(int number)
{
	ending = number;
}

static unsigned tick(unsigned nth)
{
	static const struct timespec pause = { 0, 1000000 };

	HOTPATH_MEASURE();
	nanosleep(&pause, NULL);
	HOTPATH_RETURN(nth);
}

static void prepare(void)
{
	HOTPATH_MEASURE();
}

int main(void)
{
	HOTPATH_MAIN();

	signal(SIGTERM, end);
	for (int i = 0; i < 3; i++)
		prepare();
	tick(0);
	puts("begun");
	fflush(stdout);
	for (unsigned nth = 1; !ending; nth++)
		tick(nth);
	return 0;
}
