/* SPDX-License-Identifier: MIT */
/*
 * Early blocks: the dynamic linker may allocate while it looks up the next allocator. Such blocks come from a small
 * static store, and are never freed. There are none in a statically linked program.
 */
#ifndef EARLY_H
#define EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef HOTPATH_WRAP

static inline bool early_has(const void *block)
{
	(void)block;
	return false;
}

static inline bool early_exist(void)
{
	return false;
}

static inline size_t early_size(const void *block)
{
	(void)block;
	return 0;
}

#else

#pragma GCC visibility push(hidden)

enum { EARLY_STORE = 16 * 1024 };

extern char early_store[];

/** Whether a block is an early one. */
static inline bool early_has(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early_store < EARLY_STORE;
}

/** Whether there are early blocks; and the size of one. */
bool early_exist(void);
size_t early_size(const void *block);

/* What is called in place of a function of the next allocator that is not known. */
void *early_malloc(size_t size);
void *early_calloc(size_t count, size_t size);
void *early_realloc(void *block, size_t size);
void early_free(void *block);
void *early_aligned(size_t alignment, size_t size);
int early_posix_memalign(void);
void *early_none(void);

#pragma GCC visibility pop

#endif

#endif
