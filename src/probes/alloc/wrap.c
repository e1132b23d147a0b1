/* SPDX-License-Identifier: MIT */
/* The next allocator in a statically linked program: the functions that the linker renamed (--wrap). */
#include "next.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* An ELF note, by which the tool sees that a program contains the probe; unlike symbols, it is not stripped. */
__attribute__((used, section(".note.hotpath"), aligned(4))) static const struct {
	uint32_t owner_size, text_size, type;
	char owner[8], text[8];
} note = { sizeof("hotpath"), sizeof("alloc"), 2, "hotpath", "alloc" };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_memalign(size_t alignment, size_t size);
/* Not every C library has it. */
size_t malloc_usable_size(void *block) __attribute__((weak));

/* valloc, and below pvalloc: every C library implements them like this. */
static void *page_aligned(size_t size)
{
	return __real_memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

static void *whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (size > SIZE_MAX - page) {
		errno = ENOMEM;
		return NULL;
	}
	return page_aligned((size + page - 1) / page * page);
}

struct next next = {
	.malloc = __real_malloc,
	.calloc = __real_calloc,
	.realloc = __real_realloc,
	.free = __real_free,
	.posix_memalign = __real_posix_memalign,
	.aligned_alloc = __real_aligned_alloc,
	.memalign = __real_memalign,
	.valloc = page_aligned,
	.pvalloc = whole_pages,
};

bool next_has_headers;

/* The next allocator is known from the start, so there are no early blocks. */
char next_store[NEXT_STORE];

bool next_has_early(void)
{
	return false;
}

size_t next_early_size(const void *block)
{
	(void)block;
	return 0;
}

void next_learn(void)
{
	next.usable_size = malloc_usable_size;
}
