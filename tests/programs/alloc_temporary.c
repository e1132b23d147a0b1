/* SPDX-License-Identifier: MIT */
/* Blocks that are freed before the call returns that allocated them, or next; and others. */
#include "alloc_truth.h"

#include <string.h>

enum {
	MANY = 5000,
	DEEP = 300,
};

static void *blocks[MANY];
static void *volatile block;

SKIP static inline void take(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		blocks[i] = malloc(i + 1);
}

SKIP static inline void give_back(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(blocks[i]);
}

ALONE static void frees_one(void)
{
	take(1), give_back(1);
}

ALONE static void frees_ten(void)
{
	take(10), give_back(10);
}

ALONE static void frees_many(void)
{
	take(MANY), give_back(MANY);
}

/* Half of them, the others remain. */
ALONE static void frees_half(void)
{
	take(100);
	for (unsigned i = 0; i < 100; i += 2)
		free(blocks[i]);
}

ALONE static void frees_rest(void)
{
	for (unsigned i = 1; i < 100; i += 2)
		free(blocks[i]);
}

ALONE static void *freed_next(void)
{
	return malloc(20);
}

ALONE static void *not_freed_next(void)
{
	return malloc(30);
}

ALONE static void two_later(void)
{
	blocks[0] = malloc(40);
	blocks[1] = malloc(50);
}

ALONE static void keeps(void)
{
	block = malloc(60);
}

ALONE static void frees_for_another(void *for_another)
{
	free(for_another);
}

/* Freed inside, by another function. */
ALONE static void lets_free(void)
{
	void *mine[2] = { malloc(70), malloc(80) };

	frees_for_another(mine[0]);
	frees_for_another(mine[1]);
}

/* Each is freed when all calls inside have returned. */
ALONE static void recursive(unsigned more)
{
	void *mine = malloc(more + 1);

	memset(mine, 0, more + 1);
	if (more)
		recursive(more - 1);
	free(mine);
}

/* Every size but the last was there for a while only. */
ALONE static void grows(void)
{
	block = NULL;
	for (size_t size = 1; size <= 1 << 12; size *= 2)
		block = realloc(block, size);
}

/* The same frame as one that has returned, and its block at the same address. */
ALONE static void another(void)
{
	keeps();
	free(block);
}

int main(void)
{
	void *other;

	frees_one(), frees_ten(), frees_many();
	frees_half(), frees_rest();
	for (unsigned i = 0; i < 7; i++)
		free(freed_next());
	other = not_freed_next();
	keeps();
	free(other);
	free(block);
	two_later();
	free(blocks[0]);
	free(blocks[1]);
	lets_free();
	recursive(DEEP - 1);
	grows();
	for (unsigned i = 0; i < 3; i++)
		another();

	temporary("frees_one", 1), temporary("frees_ten", 10), temporary("frees_many", MANY);
	temporary("frees_half", 50), temporary("freed_next", 7), temporary("not_freed_next", 0);
	temporary("two_later", 0), temporary("lets_free", 2), temporary("recursive", DEEP);
	temporary("grows", 12), live("grows", 1 << 12, 1);
	/* The first was freed after another; the last three next. */
	temporary("keeps", 3);
	return 0;
}
