/* SPDX-License-Identifier: MIT */
/* The operators new and delete of C++, and what malloc and free need to know of those that call them. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "atomic.h"

#include <stdbool.h>
#include <stdint.h>

/* All are of one type: they have at most three arguments, each in a register, and the result of delete is not used. */
typedef void *cpp_function(uintptr_t first, uintptr_t second, uintptr_t third);

#define NEW(name) cpp_function name;
#define DELETE(name) cpp_function name;
#include "operators.def"
#undef NEW
#undef DELETE

#pragma GCC visibility push(hidden)

/* What is called in place of an operator if there is no C++ library. */
void *operators_new(uintptr_t size);
void *operators_delete(uintptr_t block);

/* The operator that this thread is in. malloc and free set the fields to 0 when the operator calls them. */
struct within {
	/* The return address of a call of new. */
	uintptr_t from;
	/* The block that is being deleted, which the recorder was told of already. */
	uintptr_t block;
};

extern __thread struct within within __attribute__((tls_model("initial-exec")));

/* While this thread is inside the next allocator: the stack pointer of the caller of malloc; else 0. Sampling
   reads it. */
extern __thread uintptr_t inside __attribute__((tls_model("initial-exec")));

static inline void inside_begin(uintptr_t sp)
{
	store(&inside, sp, RELAXED);
}

static inline void inside_end(void)
{
	store(&inside, 0, RELAXED);
}

/* Whether allocations are recorded, or may be. */
bool alloc_is_on(void);
/* Make the next malloc or free of this thread take the slow path, which looks at `within`. */
void alloc_watch(void);
/* Tell the recorder of a block that was allocated, or of one that is about to be freed. */
void *alloc_tell(void *block, uint64_t size, uintptr_t from, uintptr_t sp);
void alloc_tell_freed(void *block, uintptr_t sp);

#pragma GCC visibility pop

#endif
