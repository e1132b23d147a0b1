/* SPDX-License-Identifier: MIT */
/* Allocates through wrappers: some that are well known, one of its own, and the C library's. What is kept is never freed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

/* Stores to this variable keep a call from being a tail call, so that the frame stays. */
static void *volatile kept;

APART void *xmalloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	kept = block;
	return block;
}

APART char *xstrdup(const char *text)
{
	char *copy = xmalloc(strlen(text) + 1);

	strcpy(copy, text);
	return copy;
}

APART void *pool_take(size_t size)
{
	void *block = malloc(size);

	kept = block;
	return block;
}

APART void load_names(void)
{
	for (int i = 0; i < 10; i++)
		kept = xstrdup("a name of thirty-one characters");
}

APART void load_sizes(void)
{
	for (int i = 0; i < 4; i++)
		kept = xmalloc(1000);
}

APART void fill_pool(void)
{
	for (int i = 0; i < 5; i++)
		kept = pool_take(4096);
}

APART void copy_line(void)
{
	kept = strdup("fifteen letters");
	kept = (void *)((char *)kept + 0);
}

APART void use_and_free(void)
{
	void *block = xmalloc(100000);

	kept = block;
	free(block);
}

int main(void)
{
	load_names();
	load_sizes();
	fill_pool();
	copy_line();
	use_and_free();
	return 0;
}
