/* SPDX-License-Identifier: MIT */
/*
 * The operators new and delete of C++.
 *
 * Those of the C++ library call malloc and free, which the probe sees; but the return address would be that in new,
 * not that of the caller of new. Those of allocators like jemalloc call nothing that the probe sees. Which kind an
 * operator is shows in its first call.
 */
#include "operators.h"

#include "atomic.h"
#include "next.h"
#include "processor.h"

#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

enum way {
	UNKNOWN = 0,
	/* The operator calls malloc or free. */
	THROUGH,
	APART,
};

struct cpp_operator {
	const char *name;
	/* All operators have at most three arguments, each in a register. */
	void *(*next)(uintptr_t first, uintptr_t second, uintptr_t third);
	enum way way;
};

static bool is_known(struct cpp_operator *which)
{
	if (unlikely(!which->next)) {
		void *found = next_symbol(which->name);
		__builtin_memcpy(&which->next, &found, sizeof(found));
	}
	return which->next != NULL;
}

/* The operator has called malloc if that has set within.from to 0. A failed call tells nothing. */
static enum way learn_new(struct cpp_operator *which, const void *block)
{
	if (!block)
		return UNKNOWN;
	enum way way = within.from ? APART : THROUGH;
	store(&which->way, way, RELAXED);
	return way;
}

/*
 * One operator may call another, as new[] calls new: the caller of the first one allocates. If the operator throws,
 * within.from stays set, and the next malloc of the thread gets a wrong return address, once.
 */
static void *allocate(struct cpp_operator *which, uintptr_t size, uintptr_t second, uintptr_t third,
		      uintptr_t from, uintptr_t sp)
{
	if (!is_known(which))
		return alloc_tell(next.malloc(size), size, from, sp);
	if (!alloc_is_on())
		return which->next(size, second, third);
	enum way way = load(&which->way, RELAXED);
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
static void learn_delete(struct cpp_operator *which, uintptr_t block, uintptr_t second,
			 uintptr_t third)
{
	within.block = block;
	alloc_watch();
	which->next(block, second, third);
	store(&which->way, within.block ? APART : THROUGH, RELAXED);
	within.block = 0;
}

/* The recorder is told before the block is freed, by the outermost operator: afterwards another thread may get the
   address. */
static void release(struct cpp_operator *which, uintptr_t block, uintptr_t second, uintptr_t third,
		    uintptr_t sp)
{
	enum way way = load(&which->way, RELAXED);

	if (way != THROUGH && within.block != block)
		alloc_tell_freed((void *)block, sp);
	if (!is_known(which)) {
		next.free((void *)block);
		return;
	}
	if (unlikely(way == UNKNOWN && block && alloc_is_on())) {
		learn_delete(which, block, second, third);
		return;
	}
	if (way == APART) {
		within.block = 0;
		inside_begin(sp);
	}
	which->next(block, second, third);
	inside_end();
}

#define NEW(name)                                                                                  \
	EXPORT void *name(uintptr_t size, uintptr_t second, uintptr_t third);                      \
	EXPORT void *name(uintptr_t size, uintptr_t second, uintptr_t third)                       \
	{                                                                                          \
		static struct cpp_operator which = { #name, NULL, UNKNOWN };                       \
		return allocate(&which, size, second, third,                                       \
				(uintptr_t)__builtin_return_address(0),                            \
				(uintptr_t)__builtin_dwarf_cfa());                                 \
	}
#define DELETE(name)                                                                               \
	EXPORT void name(uintptr_t block, uintptr_t second, uintptr_t third);                      \
	EXPORT void name(uintptr_t block, uintptr_t second, uintptr_t third)                       \
	{                                                                                          \
		static struct cpp_operator which = { #name, NULL, UNKNOWN };                       \
		release(&which, block, second, third, (uintptr_t)__builtin_dwarf_cfa());           \
	}

/* Mangled names where size_t is unsigned long: plain, nothrow, aligned, both; and those of arrays. */
NEW(_Znwm)
NEW(_Znam)
NEW(_ZnwmRKSt9nothrow_t)
NEW(_ZnamRKSt9nothrow_t)
NEW(_ZnwmSt11align_val_t)
NEW(_ZnamSt11align_val_t)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t)
/* delete exists with a size too. */
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)
