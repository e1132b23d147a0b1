/* SPDX-License-Identifier: MIT */
/*
 * The alternate signal stack on which the sampling signal is handled.
 *
 * The kernel saves a thread's registers on the stack before a handler runs, whether they fit or not; that may take
 * 12 KB. A coroutine's stack may have less left, and so may the program's own alternate stack, on which another signal
 * may just be handled. So each sampled thread gets an alternate stack of ours, unless the program's own is large enough
 * for both:
 *
 *	the program has           the kernel has    its own handlers run on
 *	no signal stack           ours              the stack in use; ours with SA_ONSTACK
 *	a small one               ours              ours, which has the room of the small one and that of a sample
 *	a large one               the program's     the program's
 *
 * sigaltstack reports to the program what it has set itself. Which stack is set at the moment is always asked of the
 * kernel, and never remembered here: when a handler returns, the kernel restores the setting from before the signal.
 */
#include "sampler.h"

#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "sampling.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* A program's alternate stack is large if it has so many bytes beside room for the registers of two
	   signals; and the size of ours, beside room for three. */
	LARGE = 40 * 1024,
	WHOLE = 92 * 1024,
	/* Bytes for the registers, on kernels that do not tell (AT_MINSIGSTKSZ). */
	REGISTERS = 8 * 1024,
};

/* This thread's alternate stack of ours, and the one that the program believes to have. Kept in a forked child,
   which may be running in a handler on it. */
static __thread struct {
	char *memory;
	stack_t programs;
} mine __attribute__((tls_model("initial-exec")));

static const stack_t none = { .ss_flags = SS_DISABLE };

/* sigaltstack as a system call, since our library wraps that of the C library. */
static int kernel_sigaltstack(const stack_t *stack, stack_t *before)
{
	return (int)syscall(SYS_sigaltstack, stack, before);
}

static bool is_on(const stack_t *stack)
{
	return !(stack->ss_flags & SS_DISABLE);
}

static size_t registers_size(void)
{
	size_t size = getauxval(AT_MINSIGSTKSZ);

	return size ? size : REGISTERS;
}

static bool is_large(const stack_t *stack)
{
	return is_on(stack) && stack->ss_size >= 2 * registers_size() + LARGE;
}

/* The size of our alternate stacks, in whole pages. */
static size_t size_of_ours(void)
{
	return hotpath__round_up(3 * registers_size() + WHOLE, hotpath__page_size());
}

/* Our stack, with the flags that the program has set for its own; SS_ONSTACK is only reported by the kernel. */
static stack_t ours_for(const stack_t *programs)
{
	return (stack_t){ .ss_sp = mine.memory,
			  .ss_flags = is_on(programs) ? programs->ss_flags & ~SS_ONSTACK : 0,
			  .ss_size = size_of_ours() };
}

/* Map a stack, with a guard page below it. Not wiped in a forked child. */
static char *map_stack(void)
{
	size_t page = hotpath__page_size(), size = size_of_ours();
	char *memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	mprotect(memory, page, PROT_NONE);
	hotpath__not_locked(memory, page + size);
	hotpath__own_region(memory + page, size);
	return memory + page;
}

/* Get memory for the stack. It stays with the sampler, for the next thread that uses that; the lock is held. */
static bool have_memory(struct sampler *sampler)
{
	if (!mine.memory)
		mine.memory = sampler->signal_stack ? sampler->signal_stack : map_stack();
	sampler->signal_stack = mine.memory;
	return mine.memory;
}

/* Replace the program's alternate stack by ours, unless it is large. The lock is held. */
static bool settle(struct sampler *sampler, const stack_t *programs)
{
	if (is_large(programs))
		return true;
	if (!have_memory(sampler))
		return false;
	mine.programs = is_on(programs) ? *programs : none;
	const stack_t ours = ours_for(programs);
	return kernel_sigaltstack(&ours, NULL) == 0;
}

/* A static copy does not wrap sigaltstack, so it does not replace a stack of the program. */
bool hotpath__own_signal_stack(struct sampler *sampler)
{
	stack_t now;

	if (kernel_sigaltstack(NULL, &now))
		return false;
	if (mine.memory && now.ss_sp == mine.memory)
		return have_memory(sampler);
	if ((now.ss_flags & SS_ONSTACK) || (is_on(&now) && !hotpath__is_shared))
		return true;
	return settle(sampler, &now);
}

void hotpath__return_signal_stack(struct sampler *sampler)
{
	stack_t now;

	if (mine.memory && kernel_sigaltstack(NULL, &now) == 0 && now.ss_sp == mine.memory &&
	    kernel_sigaltstack(&mine.programs, NULL))
		/* The thread ends while it runs on this stack, which therefore cannot be used again. */
		sampler->signal_stack = NULL;
	mine.memory = NULL;
}

void hotpath__lend_signal_stack(struct sampler *sampler, stack_t *stack)
{
	struct guard guard;

	if (mine.memory || is_on(stack) || !hotpath__try_lock(&guard))
		return;
	if (have_memory(sampler)) {
		mine.programs = none;
		*stack = ours_for(&none);
	}
	hotpath__unlock(&guard);
}

void hotpath__keep_signal_stack(stack_t *stack)
{
	stack_t now;

	if (mine.memory && kernel_sigaltstack(NULL, &now) == 0 && now.ss_sp == mine.memory)
		*stack = ours_for(&mine.programs);
}

bool hotpath__owns_signal_stack(void)
{
	return mine.memory || hotpath__is_sampling();
}

/* What to report to the program: its own stack in place of ours. */
static stack_t as_programs(stack_t now)
{
	stack_t seen = mine.programs;

	if (!mine.memory || now.ss_sp != mine.memory)
		return now;
	if (is_on(&seen))
		seen.ss_flags = now.ss_flags;
	return seen;
}

/* First set what the program wants, so that the kernel reports any error in it; then replace it by ours. A thread
   that has ended has no sampler. */
static int change(const stack_t *stack, stack_t *before)
{
	if (kernel_sigaltstack(stack, before))
		return errno;
	*before = as_programs(*before);
	struct sampler *sampler = stack ? hotpath__adopt_sampler() : NULL;
	if (sampler && !settle(sampler, stack))
		hotpath__leave_unsampled(sampler);
	return 0;
}

int hotpath__change_signal_stack(const stack_t *stack, stack_t *before)
{
	stack_t wanted = stack ? *stack : none, seen;
	struct guard guard;

	hotpath__lock(&guard);
	int error = change(stack ? &wanted : NULL, &seen);
	hotpath__unlock(&guard);
	if (error) {
		errno = error;
		return -1;
	}
	if (before)
		*before = seen;
	return 0;
}
