/* SPDX-License-Identifier: MIT */
/* The next allocator: the one that the program would use without the probe. */
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
	/* malloc_usable_size; NULL when it belongs to another allocator than malloc. */
	size_t (*usable_size)(void *block);
};

/* The functions can be called at any time: at first they point to functions that look up the real ones. */
extern struct next next;

/* Early blocks: allocated while the next allocator was being looked up, from a static store. They are never freed. */
extern char next_store[];
enum { NEXT_STORE = 16 * 1024 };

static inline bool next_is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)next_store < NEXT_STORE;
}

/* Whether there are early blocks; and the size of one. */
bool next_has_early(void);
size_t next_early_size(const void *block);

/* Whether the size of a block is in the word before it, as with glibc, unless the bit NEXT_MAPPED is set there. */
extern bool next_has_headers;
/* Find that out, with a block allocated for this purpose. */
void next_learn(void);

enum { NEXT_MAPPED = 2 };

static inline size_t next_header(const void *block)
{
	size_t header;

	__builtin_memcpy(&header, (const char *)block - sizeof(header), sizeof(header));
	return header;
}

/* The size of a block as the allocator rounds it, from its header; the header must not have the bit NEXT_MAPPED. */
static inline size_t next_size_in(size_t header)
{
	return (header & ~(size_t)7) - sizeof(header);
}

/* The same for any block. */
static inline size_t next_size(void *block)
{
	bool at_once = next_has_headers && !(next_header(block) & NEXT_MAPPED);

	return at_once ? next_size_in(next_header(block)) : next.usable_size(block);
}

/* Look up a symbol in the libraries after ours (RTLD_NEXT); NULL when there is none. */
void *next_symbol(const char *name);

#pragma GCC visibility pop

#endif
