/* SPDX-License-Identifier: MIT */
/*
 * Coroutines that switch with swapcontext: it is intercepted to record which stack continues. When a coroutine
 * returns to its uc_link there is no call to intercept, but the changed stack is noticed.
 */
#include "calls/stray.h"
#include "next.h"

#include <errno.h>
#include <ucontext.h>

/* The thread's own stack has no bounds in its context. */
static void goes_on(const ucontext_t *context)
{
	uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;

	hotpath__fiber(low, low, low + context->uc_stack.ss_size);
}

__attribute__((visibility("default"))) int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	static void *next;
	int (*found)(ucontext_t *, const ucontext_t *) =
		(int (*)(ucontext_t *, const ucontext_t *))hotpath__next(&next, "swapcontext");

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	goes_on(to);
	return found(from, to);
}

__attribute__((visibility("default"))) int setcontext(const ucontext_t *to)
{
	static void *next;
	int (*found)(const ucontext_t *) = (int (*)(const ucontext_t *))hotpath__next(&next,
										      "setcontext");

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	goes_on(to);
	return found(to);
}
