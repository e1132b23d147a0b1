/* SPDX-License-Identifier: MIT */
/*
 * Intercepts prctl and syscall, by which a program sets a seccomp filter: from then on, the recorder makes no system
 * call that the filter does not allow.
 */
#include "front.h"
#include "process/seccomp.h"
#include "process/threads.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>

static const struct hotpath__filter *see_mode(unsigned long mode, unsigned long program)
{
	if (mode == SECCOMP_MODE_STRICT)
		return hotpath__filter_comes(NULL);
	if (mode == SECCOMP_MODE_FILTER)
		return hotpath__filter_comes((const struct sock_fprog *)program);
	return NULL;
}

/* The name of the calling thread, as in naming.c. */
static void see_name(void)
{
	int before = errno;

	hotpath__thread_renamed();
	errno = before;
}

VISIBLE int(prctl)(int option, ...)
{
	const struct hotpath__filter *filter = NULL;
	unsigned long arguments[4];
	va_list rest;

	va_start(rest, option);
	for (unsigned i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		arguments[i] = va_arg(rest, unsigned long);
	va_end(rest);
	if (option == PR_SET_SECCOMP)
		filter = see_mode(arguments[0], arguments[1]);
	int result = NEXT(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
	if (result)
		hotpath__filter_refused(filter);
	else if (option == PR_SET_NAME)
		see_name();
	return result;
}

#if defined(__x86_64__) || defined(__aarch64__)

#pragma GCC visibility push(hidden)
long hotpath__raw_syscall(long number, ...);
long hotpath__syscall_failed(long result);
long hotpath__seccomp(long number, unsigned long operation, unsigned long flags, void *program);
#pragma GCC visibility pop

__attribute__((used)) long hotpath__syscall_failed(long result)
{
	errno = (int)-result;
	return -1;
}

__attribute__((used)) long hotpath__seccomp(long number, unsigned long operation,
					    unsigned long flags, void *program)
{
	const struct hotpath__filter *filter = NULL;

	if (operation == SECCOMP_SET_MODE_STRICT)
		filter = see_mode(SECCOMP_MODE_STRICT, 0);
	else if (operation == SECCOMP_SET_MODE_FILTER)
		filter = see_mode(SECCOMP_MODE_FILTER, (unsigned long)program);
	long result = hotpath__raw_syscall(number, operation, flags, program);
	/* A positive result is a descriptor; or, with TSYNC, the id of a thread that could not be synchronised. */
	if (result < 0 || (result > 0 && flags & SECCOMP_FILTER_FLAG_TSYNC))
		hotpath__filter_refused(filter);
	return result;
}

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/*
 * Like the C library's syscall, without a stack frame, because a call may return twice. Calls of the recorder come
 * here too.
 */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	cmpq $" TEXT(
		__NR_seccomp) ", %rdi\n"
			      "	je hotpath__seccomp\n"
			      ".type hotpath__raw_syscall, @function\n"
			      "hotpath__raw_syscall:\n"
			      "	movq %rdi, %rax\n"
			      "	movq %rsi, %rdi\n"
			      "	movq %rdx, %rsi\n"
			      "	movq %rcx, %rdx\n"
			      "	movq %r8, %r10\n"
			      "	movq %r9, %r8\n"
			      "	movq 8(%rsp), %r9\n"
			      "	syscall\n"
			      "	cmpq $-4095, %rax\n"
			      "	jae 1f\n"
			      "	ret\n"
			      "1:	movq %rax, %rdi\n"
			      "	jmp hotpath__syscall_failed\n"
			      "	.cfi_endproc\n"
			      ".size syscall, . - syscall\n"
			      ".size hotpath__raw_syscall, . - hotpath__raw_syscall\n");
#else
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, %function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	hint #34\n"
	"	cmp x0, #" TEXT(
		__NR_seccomp) "\n"
			      "	b.eq hotpath__seccomp\n"
			      ".type hotpath__raw_syscall, %function\n"
			      "hotpath__raw_syscall:\n"
			      "	mov x8, x0\n"
			      "	mov x0, x1\n"
			      "	mov x1, x2\n"
			      "	mov x2, x3\n"
			      "	mov x3, x4\n"
			      "	mov x4, x5\n"
			      "	mov x5, x6\n"
			      "	svc #0\n"
			      "	cmn x0, #4095\n"
			      "	b.cs hotpath__syscall_failed\n"
			      "	ret\n"
			      "	.cfi_endproc\n"
			      ".size syscall, . - syscall\n"
			      ".size hotpath__raw_syscall, . - hotpath__raw_syscall\n");
#endif

#endif
