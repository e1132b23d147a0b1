/* SPDX-License-Identifier: MIT */
/* The store of early blocks. */
#include "early.h"

#include <errno.h>
#include <string.h>

enum {
	/* The alignment of early blocks, and the room for the size before each, in bytes. */
	UNIT = 16,
};

__attribute__((aligned(UNIT))) char early_store[EARLY_STORE];
static size_t store_used;

bool early_exist(void)
{
	return __atomic_load_n(&store_used, __ATOMIC_RELAXED) > 0;
}

size_t early_size(const void *block)
{
	size_t size;

	memcpy(&size, (const char *)block - UNIT, sizeof(size));
	return size;
}

void *early_none(void)
{
	errno = ENOMEM;
	return NULL;
}

/* The block is zero, because the store is never used twice. */
void *early_aligned(size_t alignment, size_t size)
{
	size_t room = size < EARLY_STORE ? UNIT + (size + UNIT - 1) / UNIT * UNIT : EARLY_STORE;
	size_t at = alignment <= UNIT ? __atomic_fetch_add(&store_used, room, __ATOMIC_RELAXED)
				      : EARLY_STORE;

	if (at + room > EARLY_STORE)
		return early_none();
	memcpy(early_store + at, &size, sizeof(size));
	return early_store + at + UNIT;
}

void *early_malloc(size_t size)
{
	return early_aligned(1, size);
}

void *early_calloc(size_t count, size_t size)
{
	size_t all;

	return __builtin_mul_overflow(count, size, &all) ? early_none() : early_malloc(all);
}

/* Only of NULL: an early block is moved without the next allocator, and there is no other yet. */
void *early_realloc(void *block, size_t size)
{
	(void)block;
	return early_malloc(size);
}

void early_free(void *block)
{
	(void)block;
}

int early_posix_memalign(void)
{
	return ENOMEM;
}
