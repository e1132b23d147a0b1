/* SPDX-License-Identifier: MIT */
/* What the probe must know of the next allocator: libc's, or one that was linked or preloaded. */
#include "allocator.h"

#include <dlfcn.h>
#include <string.h>

size_t (*allocator_usable_size)(void *block);
bool allocator_has_headers;

/* Whether a function is in the same library as the next malloc. */
static bool is_of_malloc(void *function)
{
	void *malloc_address;
	Dl_info one, other;

	memcpy(&malloc_address, &NEXT_KNOWN(malloc), sizeof(malloc_address));
	return function && dladdr(function, &one) && dladdr(malloc_address, &other) &&
	       one.dli_fbase == other.dli_fbase;
}

/* If an allocator has no malloc_usable_size, that of libc is found, which would misread its blocks. */
static void learn_usable_size(void)
{
	void *function;

	memcpy(&function, &NEXT_KNOWN(malloc_usable_size), sizeof(function));
	if (is_of_malloc(function))
		allocator_usable_size = NEXT_KNOWN(malloc_usable_size);
}

static bool is_of_glibc(void)
{
	void *function;

	memcpy(&function, &NEXT_KNOWN(gnu_get_libc_version), sizeof(function));
	return is_of_malloc(function);
}

/*
 * Whether a block of one byte has glibc's header. Valgrind replaces glibc's allocator by its own, and reports a read
 * before a block as an error; it is recognised by a usable size of 1, where glibc's blocks have room for more.
 */
static bool has_header(void *block)
{
	if (!block || allocator_usable_size(block) == 1)
		return false;
	size_t header = allocator_header(block);
	return !(header & ALLOCATOR_MAPPED) &&
	       allocator_size_in(header) == allocator_usable_size(block);
}

/* malloc_usable_size would take as long as everything else that the probe does. The header has always been part of
   glibc; still, it is compared with malloc_usable_size once. */
void allocator_learn(void)
{
	learn_usable_size();
	if (allocator_has_headers || !allocator_usable_size || !is_of_glibc())
		return;
	void *block = NEXT(malloc)(1);
	allocator_has_headers = has_header(block);
	NEXT(free)(block);
}
