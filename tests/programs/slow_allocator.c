/* SPDX-License-Identifier: MIT */
/* An allocator that works as long as it is told to: a library, so that probes are in front of it. */
#include "slow_allocator.h"

#include <string.h>

enum {
	UNIT = 16,
	ROOM = 64 << 20,
};

volatile unsigned slow_allocator_work;

static _Alignas(UNIT) char room[ROOM];
static size_t used;

/* Each block follows its size. The size is rounded up, so that a freed block can be any other's. */
static size_t *size_of(void *block)
{
	return (size_t *)(void *)((char *)block - UNIT);
}

/* Blocks of one size: the program has one at a time. */
static void *spare;

void *malloc(size_t size)
{
	size_t whole = (size + 2 * UNIT - 1) / UNIT * UNIT;
	void *block = spare;

	slow_work(slow_allocator_work);
	if (block && *size_of(block) == size) {
		spare = NULL;
		return block;
	}
	if (whole > ROOM - used)
		return NULL;
	block = room + used + UNIT;
	used += whole + UNIT;
	*size_of(block) = size;
	return block;
}

void free(void *block)
{
	if (block)
		spare = block;
}

void *calloc(size_t count, size_t size)
{
	void *block = malloc(count * size);

	return block ? memset(block, 0, count * size) : NULL;
}

void *realloc(void *block, size_t size)
{
	void *moved = malloc(size);

	if (block && moved)
		memcpy(moved, block, *size_of(block) < size ? *size_of(block) : size);
	return moved;
}
