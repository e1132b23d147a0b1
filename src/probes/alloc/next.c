/* SPDX-License-Identifier: MIT */
/*
 * Whatever allocator the dynamic linker has after us: libc's, or one that was linked or preloaded.
 *
 * The dynamic linker may allocate while it looks for one. Such blocks come from a small store of our own.
 */
#include "next.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
	/* What every block is aligned to, and the room for its size. */
	UNIT = 16,
};

__attribute__((aligned(UNIT))) char next_store[NEXT_STORE];
static size_t store_used;
/* This thread is looking; the dynamic linker's calls are not for the allocator. */
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

/* Zero, as the store was never used before. */
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

/* An allocator that does not tell the size of its blocks leaves that to libc, which would misread them. */
static bool is_of_one(void *one, void *other)
{
	Dl_info first, second;

	return one && other && dladdr(one, &first) && dladdr(other, &second) &&
	       first.dli_fbase == second.dli_fbase;
}

/* Like a cast, for which ISO C has no rule. */
static void look_up(const char *name, void *function, void *otherwise)
{
	void *found = next_symbol(name);

	memcpy(function, found ? &found : &otherwise, sizeof(found));
}

/* Each thread that comes here finds the same. */
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
 * Whether a block of one byte is one of glibc's, who has room for more in it. Valgrind, which puts an allocator of its own
 * where glibc's is, has not, and reports whoever looks in front of a block.
 */
static bool has_header(void *block)
{
	if (!block || next.usable_size(block) == 1)
		return false;
	size_t header = next_header(block);
	return !(header & NEXT_MAPPED) && next_size_in(header) == next.usable_size(block);
}

/* To ask for it takes as long as all the rest. It has been there since there is glibc; still, look twice. */
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
