/* SPDX-License-Identifier: MIT */
/*
 * The operators new and delete of C++.
 *
 * Those of the C++ library call malloc and free, which the probe sees; but the return address would be that in new,
 * not that of the caller of new. Those of allocators like jemalloc call nothing that the probe sees. Which kind an
 * operator is shows in its first call.
 */
#include "operators.h"

#include "allocator.h"
#include "atomic.h"
#include "processor.h"

#include <stdlib.h>

enum way {
	UNKNOWN = 0,
	/* The operator calls malloc or free. */
	THROUGH,
	APART,
};

struct cpp_operator {
	cpp_function *next;
	enum way *way;
};

/* The operator has called malloc if that has set within.from to 0. A failed call tells nothing. */
static enum way learn_new(const struct cpp_operator *which, const void *block)
{
	if (!block)
		return UNKNOWN;
	enum way way = within.from ? APART : THROUGH;
	store(which->way, way, RELAXED);
	return way;
}

/*
 * One operator may call another, as new[] calls new: the caller of the first one allocates. If the operator throws,
 * within.from stays set, and the next malloc of the thread gets a wrong return address, once.
 */
static void *allocate(const struct cpp_operator *which, uintptr_t size, uintptr_t second,
		      uintptr_t third, uintptr_t from, uintptr_t sp)
{
	if (!alloc_is_on())
		return which->next(size, second, third);
	enum way way = load(which->way, RELAXED);
	if (!within.from)
		within.from = from;
	if (unlikely(way == UNKNOWN))
		alloc_watch();
	if (way == APART)
		inside_begin(sp);
	void *block = which->next(size, second, third);
	if (unlikely(way == UNKNOWN))
		way = learn_new(which, block);
	if (way == APART)
		alloc_tell(block, size, from, sp);
	within.from = 0;
	return block;
}

/* The operator has called free if that has set within.block to 0. */
static void learn_delete(const struct cpp_operator *which, uintptr_t block, uintptr_t second,
			 uintptr_t third)
{
	within.block = block;
	alloc_watch();
	which->next(block, second, third);
	store(which->way, within.block ? APART : THROUGH, RELAXED);
	within.block = 0;
}

/* The recorder is told before the block is freed, by the outermost operator: afterwards another thread may get the
   address. */
static void *release(const struct cpp_operator *which, uintptr_t block, uintptr_t second,
		     uintptr_t third, uintptr_t sp)
{
	enum way way = load(which->way, RELAXED);

	if (way != THROUGH && within.block != block)
		alloc_tell_freed((void *)block, sp);
	if (unlikely(way == UNKNOWN && block && alloc_is_on())) {
		learn_delete(which, block, second, third);
		return NULL;
	}
	if (way == APART) {
		within.block = 0;
		inside_begin(sp);
	}
	which->next(block, second, third);
	inside_end();
	return NULL;
}

void *operators_new(uintptr_t size)
{
	return malloc(size);
}

void *operators_delete(uintptr_t block)
{
	free((void *)block);
	return NULL;
}

#define NEW(name)                                                                                  \
	VISIBLE void *name(uintptr_t size, uintptr_t second, uintptr_t third)                      \
	{                                                                                          \
		static enum way way;                                                               \
		const struct cpp_operator which = { NEXT(name), &way };                            \
		return allocate(&which, size, second, third,                                       \
				(uintptr_t)__builtin_return_address(0),                            \
				(uintptr_t)__builtin_dwarf_cfa());                                 \
	}
#define DELETE(name)                                                                               \
	VISIBLE void *name(uintptr_t block, uintptr_t second, uintptr_t third)                     \
	{                                                                                          \
		static enum way way;                                                               \
		const struct cpp_operator which = { NEXT(name), &way };                            \
		return release(&which, block, second, third, (uintptr_t)__builtin_dwarf_cfa());    \
	}
#include "operators.def"
