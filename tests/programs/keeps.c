/* SPDX-License-Identifier: MIT */
/* Leaves two blocks behind, of 1000 bytes and its own name; all others that are left are the C library's. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *leaked[2];

static void at_exit(void) {}

int main(int count, char **words)
{
	/* The table that is there without malloc has 32. */
	for (int i = 0; i < 40; i++)
		atexit(at_exit);
	leaked[0] = malloc(1000);
	leaked[1] = strdup(words[0] + strlen(words[0]) - strlen("keeps"));
	printf("a buffer of its own\n");
	return count > 1 || !dlopen("libm.so.6", RTLD_NOW);
}
