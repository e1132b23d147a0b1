/* SPDX-License-Identifier: MIT */
/* Coroutines of the plainest kind: a stack and a context each, resumed and yielding in turn. */
#ifndef COROUTINES_H
#define COROUTINES_H

#include <hotpath.h>

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum {
	COROUTINE_STACK = 64 * 1024,
};

struct coroutine {
	ucontext_t context;
	/* Whoever resumed it, on whichever thread. */
	ucontext_t resumer;
	void (*run)(struct coroutine *self);
	bool ended;
};

/* Arguments of makecontext are ints. */
HOTPATH_SKIP static inline void coroutine_entry(unsigned high, unsigned low)
{
	struct coroutine *self = (struct coroutine *)(uintptr_t)((uint64_t)high << 32 | low);

	self->run(self);
	self->ended = true;
	swapcontext(&self->context, &self->resumer);
}

HOTPATH_SKIP static inline void coroutine_init(struct coroutine *self, char *stack,
					       void (*run)(struct coroutine *))
{
	uint64_t address = (uintptr_t)self;

	getcontext(&self->context);
	self->context.uc_stack.ss_sp = stack;
	self->context.uc_stack.ss_size = COROUTINE_STACK;
	self->run = run;
	self->ended = false;
	makecontext(&self->context, (void (*)(void))coroutine_entry, 2, (unsigned)(address >> 32),
		    (unsigned)address);
}

HOTPATH_SKIP static inline void coroutine_resume(struct coroutine *self)
{
	if (!self->ended)
		swapcontext(&self->resumer, &self->context);
}

HOTPATH_SKIP static inline void coroutine_yield(struct coroutine *self)
{
	swapcontext(&self->context, &self->resumer);
}

#endif
