/* SPDX-License-Identifier: MIT */
/*
 * A library that is at work before the program is, and before the recorder's own constructor: its constructor computes
 * and allocates, and so does what it has called in every forked child.
 */
#include "compute.h"

#include <pthread.h>
#include <stdlib.h>

void *volatile early_block;

__attribute__((noinline)) static void allocate(void)
{
	free(early_block);
	early_block = malloc(100);
}

static void child_begins(void)
{
	allocate();
}

__attribute__((constructor)) void early_begins(void)
{
	allocate();
	compute(100);
	pthread_atfork(NULL, NULL, child_begins);
}

void early_work(void)
{
	allocate();
	compute(200);
}
