/* SPDX-License-Identifier: MIT */
/*
 * Leaks that are known to whoever looks for them: of many sizes, from many places, one line each.
 *
 * Some places are in functions that are measured, where the compiler does that, and some are not. No pointer
 * to what is leaked stays anywhere, and no block of the program's own is left besides. No block is of 0 bytes,
 * for which LeakSanitizer allocates one.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALONE __attribute__((noinline))
#define SKIP __attribute__((no_instrument_function))

struct node {
	struct node *next;
	char more[40];
};

static void *volatile sink;

/* The compiler shall not know that nothing comes of it. */
ALONE static void leak(void *block)
{
	sink = block;
	sink = NULL;
}

ALONE static void in_two_places(size_t size)
{
	leak(malloc(size));
	leak(malloc(2 * size));
}

ALONE SKIP static void not_measured(size_t size)
{
	leak(calloc(3, size));
}

/* A list: all but the first are leaked because the first is. */
ALONE static void chain(unsigned length)
{
	struct node *first = NULL;

	for (unsigned i = 0; i < length; i++) {
		struct node *node = malloc(sizeof(*node));
		node->next = first;
		first = node;
	}
	leak(first);
}

ALONE static void aligned(void)
{
	void *block = NULL;

	leak(aligned_alloc(256, 512));
	if (posix_memalign(&block, 4096, 100) == 0)
		leak(block);
}

/* A block belongs to whoever reallocated it last. */
ALONE static void grown(unsigned times)
{
	char *block = malloc(1);

	for (unsigned i = 1; i < times; i++)
		block = realloc(block, i * 100);
	leak(block);
}

/* Nothing is leaked here, however much is allocated. */
ALONE static char *kept_a_while(size_t size)
{
	return malloc(size);
}

ALONE static void freed_elsewhere(void)
{
	char *blocks[100];

	for (unsigned i = 0; i < 100; i++)
		blocks[i] = kept_a_while(i + 1);
	for (unsigned i = 0; i < 100; i++)
		free(blocks[(i * 37) % 100]);
}

ALONE static void recursive(unsigned depth)
{
	leak(malloc(depth));
	if (depth > 1)
		recursive(depth - 1);
	leak(strdup("to the end"));
}

ALONE static void *thread(void *unused)
{
	(void)unused;
	in_two_places(1000);
	leak(malloc(9));
	return kept_a_while(77);
}

ALONE SKIP static void overwrite_stack(void)
{
	volatile char room[16384];

	memset((char *)room, 0, sizeof(room));
}

int main(void)
{
	pthread_t threads[3];
	void *result;

	for (unsigned i = 0; i < 10; i++) {
		in_two_places(i * 7 + 1);
		not_measured(i + 1);
		grown(i + 2);
	}
	chain(20);
	aligned();
	freed_elsewhere();
	recursive(50);
	leak(malloc(1 << 20));
	for (unsigned i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(threads[i], &result);
		free(result);
	}
	result = NULL;
	overwrite_stack();
	return 0;
}
