/* SPDX-License-Identifier: MIT */
#include "island.h"

#include "atomic.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "sled_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* Not every C library knows it. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	/* As many as there are places in the address space where modules lie, a few; each is one page. */
	ISLANDS = 64,
	/* Places that are tried are so many bytes apart; and so many are free at the beginning of the address space. */
	STEP = 2 * 1024 * 1024,
};

/* Forked children inherit these, like the code that leads to them. */
static struct {
	uintptr_t page;
	struct sled_island island;
} islands[ISLANDS];
static unsigned island_count;

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
	return a < b ? b - a : a - b;
}

static bool is_near(uintptr_t page, uintptr_t low, uintptr_t high)
{
	return distance(page, low) < hotpath__sled_reach &&
	       distance(page, high) < hotpath__sled_reach;
}

/* Map a page at an address, if nothing is there; 0 if not. Older kernels ignore the flag, and map it elsewhere. */
static uintptr_t map_at(uintptr_t address)
{
	size_t size = hotpath__page_size();
	void *page = mmap((void *)address, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page == MAP_FAILED)
		return 0;
	if ((uintptr_t)page == address)
		return address;
	munmap(page, size);
	return 0;
}

/* Below a module there is nothing that grows but by mapping. Above it may be the heap, which is left as much room as can be. */
static uintptr_t map_near(uintptr_t low, uintptr_t high)
{
	uintptr_t unit = ~(uintptr_t)(STEP - 1), page;

	for (uintptr_t at = (low & unit) - STEP; at >= STEP && is_near(at, low, high); at -= STEP)
		if ((page = map_at(at)))
			return page;
	for (uintptr_t at = (low + hotpath__sled_reach - 1) & unit; at > high; at -= STEP)
		if ((page = map_at(at)))
			return page;
	return 0;
}

/* Write the jumps at the beginning of a page. */
static bool make(uintptr_t page, struct sled_island *island)
{
	static const uintptr_t functions[SLED_KINDS] = {
		[SLED_ENTRY] = (uintptr_t)hotpath__sled_enter,
		[SLED_RETURN] = (uintptr_t)hotpath__sled_return,
		[SLED_JUMP] = (uintptr_t)hotpath__sled_jump,
		[SLED_COUNT] = (uintptr_t)hotpath__sled_count,
	};
	struct {
		uint64_t code;
		uint64_t address;
	} *jumps = (void *)page;

	for (unsigned kind = 0; kind < SLED_KINDS; kind++) {
		jumps[kind].code = hotpath__far_jump;
		jumps[kind].address = functions[kind];
		island->to[kind] = (uintptr_t)&jumps[kind];
	}
	__builtin___clear_cache((char *)jumps, (char *)(jumps + SLED_KINDS));
	return mprotect((void *)page, hotpath__page_size(), PROT_READ | PROT_EXEC) == 0;
}

bool hotpath__is_island(uintptr_t address)
{
	/* ACQUIRE pairs with the RELEASE of a new one: its page is known. */
	for (unsigned i = load(&island_count, ACQUIRE); i-- > 0;)
		if (address - islands[i].page < hotpath__page_size())
			return true;
	return false;
}

const struct sled_island *hotpath__island_near(uintptr_t low, uintptr_t high)
{
	for (unsigned i = 0; i < island_count; i++)
		if (is_near(islands[i].page, low, high))
			return &islands[i].island;
	uintptr_t page = island_count < ISLANDS ? map_near(low, high) : 0;
	if (!page)
		return NULL;
	if (!make(page, &islands[island_count].island)) {
		munmap((void *)page, hotpath__page_size());
		return NULL;
	}
	islands[island_count].page = page;
	store(&island_count, island_count + 1, RELEASE);
	return &islands[island_count - 1].island;
}
