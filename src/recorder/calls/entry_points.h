/* SPDX-License-Identifier: MIT */
/* How measured calls begin and end: the entry points of the hot path, and the slow path behind each. */
#ifndef HOTPATH_ENTRY_POINTS_H
#define HOTPATH_ENTRY_POINTS_H

#include "hotpath/abi.h"

#include "frame.h"

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* A function that begins, as the slow path is told of it. */
struct entering {
	/* Its address; and the address by which the hot path looks it up. */
	uintptr_t function;
	uintptr_t what;
	/* As in a frame. */
	uintptr_t key;
	uintptr_t sp;
	uintptr_t from;
};

/* For what is behind the hot path of the entry hook, which has nothing in vectors on the stack: a naked function calls that hook
   with a stack that is not aligned as the rest of us needs it, and returns before its exit hook. */
#ifdef __x86_64__
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

#pragma GCC visibility push(hidden)

/* The entry points, which assembly stubs call with two more arguments: the caller's stack pointer, and the return
   address. */
void hotpath__span_begin(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__function_enter(uintptr_t function, void *caller, uintptr_t sp, uintptr_t from);
void hotpath__function_exit(uintptr_t function, uintptr_t caller, uintptr_t sp, uintptr_t from);

/* For a thread without a state, which has recorded nothing yet (_unknown); and for everything else that the hot
   path does not handle (_slow). The former return quickly when nothing is being recorded. */
void hotpath__begin_unknown(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_unknown(struct hotpath_span *span);
void hotpath__enter_unknown(uintptr_t function, uintptr_t sp, uintptr_t from);
void hotpath__exit_unknown(uintptr_t function, uintptr_t sp, bool by_jump);
void hotpath__begin_slow(struct hotpath_span *span, struct hotpath_site *site, uintptr_t sp);
void hotpath__end_slow(struct hotpath_span *span, uint64_t now, uintptr_t sp);
void hotpath__enter_slow(uintptr_t function, uintptr_t sp, uintptr_t from);
void hotpath__enter_address(struct entering entering);
void hotpath__exit_slow(uintptr_t function, uintptr_t sp, bool by_jump, uint64_t now);
/* Allow the hot path again, which stopping and unloading forbid; unless one of these has happened just now. */
void hotpath__open_hot_path(struct thread *me);

struct thread;

/* The same for the fast paths of probes. The thread is busy. */
void hotpath__open_probes(struct thread *me);

#pragma GCC visibility pop

#endif
