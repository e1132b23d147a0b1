/* SPDX-License-Identifier: MIT */
/* The next allocator in a statically linked program: the functions that the linker renamed (--wrap). */
#include "allocator.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* An ELF note, by which the tool sees that a program contains the probe; unlike symbols, it is not stripped. */
__attribute__((used, section(".note.hotpath"), aligned(4))) static const struct {
	uint32_t owner_size, text_size, type;
	char owner[8], text[8];
} note = { sizeof("hotpath"), sizeof("alloc"), 2, "hotpath", "alloc" };

/* Every C library that has valloc and pvalloc implements them like this. */
void *allocator_valloc(size_t size)
{
	return NEXT(memalign)((size_t)sysconf(_SC_PAGESIZE), size);
}

void *allocator_pvalloc(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (size > SIZE_MAX - page) {
		errno = ENOMEM;
		return NULL;
	}
	return allocator_valloc((size + page - 1) / page * page);
}

/* Not every C library has it. */
size_t malloc_usable_size(void *block) __attribute__((weak));

size_t (*allocator_usable_size)(void *block);
bool allocator_has_headers;

void allocator_learn(void)
{
	allocator_usable_size = malloc_usable_size;
}
