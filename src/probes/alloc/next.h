/* SPDX-License-Identifier: MIT */
/* The allocator that the program would have without us. */
#ifndef NEXT_H
#define NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct next {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *block, size_t size);
	void (*free)(void *block);
	int (*posix_memalign)(void **block, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	/* NULL when it is not of the same allocator. */
	size_t (*usable_size)(void *block);
};

/* Its functions can be called at any time: at first they are some that find out. */
extern struct next next;

/* Whether a block is from before the allocator was known: it is never freed. */
extern char next_store[];
enum { NEXT_STORE = 16 * 1024 };

static inline bool next_is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)next_store < NEXT_STORE;
}

/* Whether there is any. */
bool next_has_early(void);
size_t next_early_size(const void *block);

/* Whether the size of a block is where glibc has it: in the word before it, unless a bit there is set. */
extern bool next_has_headers;
/* Find out, by a block that nobody else sees. */
void next_learn(void);

enum { NEXT_MAPPED = 2 };

static inline size_t next_header(const void *block)
{
	size_t header;

	__builtin_memcpy(&header, (const char *)block - sizeof(header), sizeof(header));
	return header;
}

/* How large a block is as its allocator rounds it, by its header if that does not say MAPPED. */
static inline size_t next_size_in(size_t header)
{
	return (header & ~(size_t)7) - sizeof(header);
}

/* And in any case. */
static inline size_t next_size(void *block)
{
	bool at_once = next_has_headers && !(next_header(block) & NEXT_MAPPED);

	return at_once ? next_size_in(next_header(block)) : next.usable_size(block);
}

/* A symbol that comes after ours; NULL when there is none. */
void *next_symbol(const char *name);

#pragma GCC visibility pop

#endif
