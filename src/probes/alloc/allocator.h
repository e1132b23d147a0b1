/* SPDX-License-Identifier: MIT */
/* The next allocator: the one that the program would use without the probe. */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include "early.h"
#include "operators.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Functions of the allocator that not every C library declares. */
void *memalign(size_t alignment, size_t size);
void *pvalloc(size_t size);
void *valloc(size_t size);
size_t malloc_usable_size(void *block);
const char *gnu_get_libc_version(void);

/* pvalloc and valloc are not in every C library, so a static program has ours. */
#ifdef HOTPATH_WRAP
#define __real_pvalloc allocator_pvalloc
#define __real_valloc allocator_valloc
#endif

#define NEXT_TABLE "alloc.def"
#include "next.h"

#pragma GCC visibility push(hidden)

/* malloc_usable_size; NULL when there is none, or when it belongs to another allocator than malloc. */
extern size_t (*allocator_usable_size)(void *block);

/* Whether the size of a block is in the word before it, as with glibc, unless the bit ALLOCATOR_MAPPED is set there. */
extern bool allocator_has_headers;

/* mmap and munmap as system calls, until the next ones are known. */
void *mappings_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int mappings_munmap(void *at, size_t size);

/** Find out both, with a block allocated for this purpose. */
void allocator_learn(void);

enum { ALLOCATOR_MAPPED = 2 };

static inline size_t allocator_header(const void *block)
{
	size_t header;

	/* Hide from the compiler that this is a block of malloc, before whose beginning nothing should be read. */
	__asm__("" : "+r"(block));
	__builtin_memcpy(&header, (const char *)block - sizeof(header), sizeof(header));
	return header;
}

/* The size of a block as the allocator rounds it, from its header; that must not have the bit ALLOCATOR_MAPPED. */
static inline size_t allocator_size_in(size_t header)
{
	return (header & ~(size_t)7) - sizeof(header);
}

/* The size of any block as the allocator rounds it. */
static inline size_t allocator_size(void *block)
{
	bool at_once = allocator_has_headers && !(allocator_header(block) & ALLOCATOR_MAPPED);

	return at_once ? allocator_size_in(allocator_header(block)) : allocator_usable_size(block);
}

#pragma GCC visibility pop

#endif
