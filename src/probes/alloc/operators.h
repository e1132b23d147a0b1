/* SPDX-License-Identifier: MIT */
/* What malloc and free need to know of operators that call them. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "atomic.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The operator that this thread is in: malloc and free take it out. */
struct within {
	/* Where a call of new returns to. */
	uintptr_t from;
	/* The block that is being deleted, of which the recorder was told. */
	uintptr_t block;
};

extern __thread struct within within __attribute__((tls_model("initial-exec")));

/* While the next allocator is at work on this thread: the stack pointer of whoever called it; else 0. */
extern __thread uintptr_t inside __attribute__((tls_model("initial-exec")));

static inline void inside_begin(uintptr_t sp)
{
	store(&inside, sp, RELAXED);
}

static inline void inside_end(void)
{
	store(&inside, 0, RELAXED);
}

/* Whether anything is kept of allocations, or may be. */
bool alloc_is_on(void);
/* The next malloc or free of this thread takes the long way, on which it takes out what is within. */
void alloc_watch(void);
/* Tell the recorder of a block that was allocated, and one that is about to be freed. */
void *alloc_tell(void *block, uint64_t size, uintptr_t from, uintptr_t sp);
void alloc_tell_freed(void *block, uintptr_t sp);

#pragma GCC visibility pop

#endif
