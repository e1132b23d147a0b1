/* SPDX-License-Identifier: MIT */
/*
 * Coroutines that switch with swapcontext: it is intercepted to record which stack continues. When a coroutine
 * returns to its uc_link there is no call to intercept, but the changed stack is noticed.
 */
#include "calls/stray.h"
#include "front.h"

/* The thread's own stack has no bounds in its context. */
static void goes_on(const ucontext_t *context)
{
	uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;

	hotpath__fiber(low, low, low + context->uc_stack.ss_size);
}

VISIBLE int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	goes_on(to);
	return NEXT(swapcontext)(from, to);
}

VISIBLE int setcontext(const ucontext_t *to)
{
	goes_on(to);
	return NEXT(setcontext)(to);
}
