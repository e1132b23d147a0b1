/* SPDX-License-Identifier: MIT */
/*
 * Looks up the next allocator with the dynamic linker: libc's, or one that was linked or preloaded.
 *
 * The dynamic linker may allocate during that. Such blocks come from a small static store.
 */
#include "next.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
	/* The alignment of early blocks, and the room for the size before each, in bytes. */
	UNIT = 16,
};

__attribute__((aligned(UNIT))) char next_store[NEXT_STORE];
static size_t store_used;
/* This thread is looking up the allocator: allocations come from the dynamic linker, and go to the store. */
static __thread bool is_looking __attribute__((tls_model("initial-exec")));

bool next_has_early(void)
{
	return __atomic_load_n(&store_used, __ATOMIC_RELAXED) > 0;
}

size_t next_early_size(const void *block)
{
	size_t size;

	memcpy(&size, (const char *)block - UNIT, sizeof(size));
	return size;
}

/* Take an early block. It is zero, because the store is never used twice. */
static void *take_early(size_t alignment, size_t size)
{
	size_t room = size < NEXT_STORE ? UNIT + (size + UNIT - 1) / UNIT * UNIT : NEXT_STORE;
	size_t at = alignment <= UNIT ? __atomic_fetch_add(&store_used, room, __ATOMIC_RELAXED)
				      : NEXT_STORE;

	if (at + room > NEXT_STORE) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(next_store + at, &size, sizeof(size));
	return next_store + at + UNIT;
}

void *next_symbol(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Whether two functions are in the same library. If an allocator has no malloc_usable_size, the lookup finds that
   of libc, which would misread its blocks. */
static bool is_of_one(void *one, void *other)
{
	Dl_info first, second;

	return one && other && dladdr(one, &first) && dladdr(other, &second) &&
	       first.dli_fbase == second.dli_fbase;
}

/* Look up a function. memcpy, because ISO C does not define a cast from an object pointer to a function pointer. */
static void look_up(const char *name, void *function, void *otherwise)
{
	void *found = next_symbol(name);

	memcpy(function, found ? &found : &otherwise, sizeof(found));
}

/* Several threads may do this at the same time: all find the same functions. */
static void look(void)
{
	struct next found = { .usable_size = NULL };
	void *none = NULL;

	is_looking = true;
	look_up("calloc", &found.calloc, none);
	look_up("realloc", &found.realloc, none);
	look_up("free", &found.free, none);
	look_up("posix_memalign", &found.posix_memalign, none);
	look_up("aligned_alloc", &found.aligned_alloc, none);
	look_up("memalign", &found.memalign, none);
	look_up("valloc", &found.valloc, none);
	look_up("pvalloc", &found.pvalloc, none);
	look_up("malloc", &found.malloc, none);
	void *usable_size = next_symbol("malloc_usable_size");
	if (is_of_one(usable_size, next_symbol("malloc")))
		memcpy(&found.usable_size, &usable_size, sizeof(usable_size));
	is_looking = false;
	next = found;
}

bool next_has_headers;

/*
 * Whether a block of one byte has glibc's header. Valgrind replaces glibc's allocator by its own, and reports a read
 * before a block as an error; it is recognised by a usable size of 1, where glibc's blocks have room for more.
 */
static bool has_header(void *block)
{
	if (!block || next.usable_size(block) == 1)
		return false;
	size_t header = next_header(block);
	return !(header & NEXT_MAPPED) && next_size_in(header) == next.usable_size(block);
}

/* malloc_usable_size would take as long as everything else that the probe does. The header has always been part of
   glibc; still, it is compared with malloc_usable_size once. */
void next_learn(void)
{
	void *malloc_address;

	memcpy(&malloc_address, &next.malloc, sizeof(malloc_address));
	if (next_has_headers || !next.usable_size ||
	    !is_of_one(malloc_address, next_symbol("gnu_get_libc_version")))
		return;
	void *block = next.malloc(1);
	next_has_headers = has_header(block);
	next.free(block);
}

static void *first_malloc(size_t size)
{
	if (is_looking)
		return take_early(1, size);
	look();
	return next.malloc(size);
}

static void *first_calloc(size_t count, size_t size)
{
	size_t all;

	if (is_looking)
		return __builtin_mul_overflow(count, size, &all) ? NULL : take_early(1, all);
	look();
	return next.calloc(count, size);
}

static void *first_realloc(void *block, size_t size)
{
	if (is_looking)
		return take_early(1, size);
	look();
	return next.realloc(block, size);
}

static void first_free(void *block)
{
	if (is_looking)
		return;
	look();
	next.free(block);
}

static int first_posix_memalign(void **block, size_t alignment, size_t size)
{
	look();
	return next.posix_memalign(block, alignment, size);
}

static void *first_aligned_alloc(size_t alignment, size_t size)
{
	if (is_looking)
		return take_early(alignment, size);
	look();
	return next.aligned_alloc(alignment, size);
}

static void *first_memalign(size_t alignment, size_t size)
{
	if (is_looking)
		return take_early(alignment, size);
	look();
	return next.memalign(alignment, size);
}

static void *first_valloc(size_t size)
{
	look();
	return next.valloc(size);
}

static void *first_pvalloc(size_t size)
{
	look();
	return next.pvalloc(size);
}

struct next next = {
	.malloc = first_malloc,
	.calloc = first_calloc,
	.realloc = first_realloc,
	.free = first_free,
	.posix_memalign = first_posix_memalign,
	.aligned_alloc = first_aligned_alloc,
	.memalign = first_memalign,
	.valloc = first_valloc,
	.pvalloc = first_pvalloc,
};
