/* SPDX-License-Identifier: MIT */
/*
 * Futexes, by which GLib, C++ atomics and Rust let threads wait: system calls that are made by syscall().
 *
 * All other system calls go on to the next function by a jump, with the stack as it was, because a call may return twice: a
 * task that clone has made returns on its own stack, to where the program has prepared it.
 */
#include "blocking_call.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* Of Linux 5.14. */
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

static bool is_wait(long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

#pragma GCC visibility push(hidden)
/* What a system call that is no futex jumps to; NULL until the first call. */
extern long (*futex_next)(long number, ...);
long futex_call(long number, ...);
#pragma GCC visibility pop

__attribute__((used)) long (*futex_next)(long number, ...);

enum { ARGUMENTS = 6 };

/* The result of a futex is 0 or -1. EAGAIN means that its word has changed: nothing was waited for. */
static long wait_for(const long a[ARGUMENTS], uintptr_t from)
{
	uint32_t target = waits_on() ? holds_futex((const volatile void *)a[0], from) : 0;
	struct wait wait
		__attribute__((cleanup(wait_end))) = wait_begin(HP_REASON_FUTEX, target, from);

	return wait_result(&wait,
			   (int)NEXT(syscall)(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* As many arguments are passed on as a system call can have; those that the program has not given have no meaning, and are read
   from the stack of its caller. */
__attribute__((used, no_sanitize_address)) long futex_call(long number, ...)
{
	long a[ARGUMENTS];
	va_list rest;

	va_start(rest, number);
	for (unsigned i = 0; i < ARGUMENTS; i++)
		a[i] = va_arg(rest, long);
	va_end(rest);
	store(&futex_next, NEXT(syscall), RELAXED);
	if (number == SYS_futex && is_wait(a[1]))
		return wait_for(a, FROM);
	return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#ifdef HOTPATH_WRAP
#define NAME "__wrap_syscall"
#else
#define NAME "syscall"
#endif
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* clang-format off */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl " NAME "\n"
	".type " NAME ", @function\n"
	NAME ":\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	cmpq $" TEXT(__NR_futex) ", %rdi\n"
	"	je futex_call\n"
	"	movq futex_next(%rip), %r11\n"
	"	testq %r11, %r11\n"
	"	je futex_call\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	".size " NAME ", . - " NAME "\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl " NAME "\n"
	".type " NAME ", %function\n"
	NAME ":\n"
	"	.cfi_startproc\n"
	"	hint #34\n"
	"	cmp x0, #" TEXT(__NR_futex) "\n"
	"	b.eq 1f\n"
	"	adrp x16, futex_next\n"
	"	ldr x16, [x16, :lo12:futex_next]\n"
	"	cbz x16, 1f\n"
	"	br x16\n"
	"1:	b futex_call\n"
	"	.cfi_endproc\n"
	".size " NAME ", . - " NAME "\n");
#else
VISIBLE long call_system(long number, ...) __asm__(NAME) __attribute__((alias("futex_call")));
#endif
/* clang-format on */
