/* SPDX-License-Identifier: MIT */
/* A library that allocates: before main, when it is called, and after main it frees. */
#include <stdlib.h>

static void *from_before[3];
static void *volatile kept;

__attribute__((constructor)) static void library_begins(void)
{
	for (unsigned i = 0; i < 3; i++)
		from_before[i] = malloc(1000 + i);
}

__attribute__((destructor)) static void library_ends(void)
{
	for (unsigned i = 0; i < 2; i++)
		free(from_before[i]);
}

void library_keeps(size_t size);
void library_keeps(size_t size)
{
	kept = malloc(size);
}
