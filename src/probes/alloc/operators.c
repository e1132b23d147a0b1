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

/* Through malloc, if that took out who calls. What failed tells nothing. */
static enum way learn_new(struct cpp_operator *which, const void *block)
{
	if (!block)
		return UNKNOWN;
	enum way way = within.from ? APART : THROUGH;
	store(&which->way, way, RELAXED);
	return way;
}

/*
 * One operator may call another, as new[] calls new: whoever called the first is who allocates. It may throw,
 * and leave within what another malloc takes out: a wrong call site, once.
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

/* Through free, if that took out the block. */
static void learn_delete(struct cpp_operator *which, uintptr_t block, uintptr_t second,
			 uintptr_t third)
{
	within.block = block;
	alloc_watch();
	which->next(block, second, third);
	store(&which->way, within.block ? APART : THROUGH, RELAXED);
	within.block = 0;
}

/* The recorder is told before, by the first operator of several: afterwards the address may be another's. */
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
