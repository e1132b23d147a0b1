/* SPDX-License-Identifier: MIT */
/*
 * new and delete of C++.
 *
 * The C++ library's call malloc and free, which we see; but then whoever calls new would not be known, only
 * that new called malloc. Allocators like jemalloc bring operators that call nothing we see. Which of both it
 * is shows the first time that each is called.
 */
#include "operators.h"

#include "next.h"
#include "state.h"

#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

enum way {
	UNKNOWN = 0,
	/* By malloc or free. */
	THROUGH,
	APART,
};

struct cpp_operator {
	const char *name;
	/* All arguments that any of them has fit in three registers. */
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

static void *allocate(struct cpp_operator *which, uintptr_t size, uintptr_t second, uintptr_t third,
		      uintptr_t from, uintptr_t sp)
{
	if (!is_known(which))
		return alloc_tell(next.malloc(size), size, from, sp);
	if (which->way != APART)
		within.from = from;
	void *block = which->next(size, second, third);
	if (likely(which->way == THROUGH))
		return block;
	if (which->way == UNKNOWN)
		which->way = within.from ? APART : THROUGH;
	within.from = 0;
	return which->way == APART ? alloc_tell(block, size, from, sp) : block;
}

static void release(struct cpp_operator *which, uintptr_t block, uintptr_t second, uintptr_t third,
		    uintptr_t sp)
{
	if (which->way != THROUGH)
		alloc_tell_freed((void *)block, sp);
	if (!is_known(which)) {
		next.free((void *)block);
		return;
	}
	if (which->way == UNKNOWN)
		within.block = block;
	which->next(block, second, third);
	if (which->way == UNKNOWN && block)
		which->way = within.block ? APART : THROUGH;
	within.block = 0;
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

/* As compilers name them where a size is an unsigned long: plain, nothrow, aligned, both; and arrays. */
NEW(_Znwm)
NEW(_Znam)
NEW(_ZnwmRKSt9nothrow_t)
NEW(_ZnamRKSt9nothrow_t)
NEW(_ZnwmSt11align_val_t)
NEW(_ZnamSt11align_val_t)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t)
/* And with a size. */
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
