/* SPDX-License-Identifier: MIT */
/*
 * Stubs that save registers around the slow path of sleds, which is ordinary C: also those of vectors, since the program's
 * arguments and results may be there. No more than these: the stack may be a small one, of a signal handler, and all that
 * XSAVE can store takes 11 KB on some processors. Arguments are never in the other vector registers, nor in masks; that
 * a caller does not keep its own values there is what -fno-ipa-ra is for (src/cli/cc_sleds.c).
 *
 * The stack may be aligned to 8 bytes only, because a sled calls where no call was.
 */
#include "sled_calls.h"

#ifdef __x86_64__

#include "calls/counting.h"

#include <cpuid.h>

/* Components of what XSAVE stores, and where in memory the largest two of them end. Offsets and sizes are those of the
   standard format, which are the same on all processors. */
#define AVX_END "832"
#define UPPER_ZMM "0x40"
#define UPPER_ZMM_END "1664"

enum {
	X87_SSE_AVX = 0x07,
	/* The upper halves of zmm0 to zmm15. */
	ZMM_HIGH = 0x40,
	/* CPUID: the system uses XSAVE; XGETBV can tell which components are not in their initial state. */
	OSXSAVE = 1 << 27,
	AVX = 1 << 28,
	XGETBV_IN_USE = 1 << 2,
};

/* The components to save, 0 without XSAVE or AVX; and whether those of ZMM are only to be saved if they are in use. Used by
   the stubs alone. */
__attribute__((used, visibility("hidden"))) uint32_t hotpath__vector_state;
__attribute__((used, visibility("hidden"))) uint32_t hotpath__can_ask_use;

static uint32_t enabled_components(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

void hotpath__measure_registers(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE) || !(c & AVX))
		return;
	uint32_t components = enabled_components() & (X87_SSE_AVX | ZMM_HIGH);
	if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d))
		hotpath__can_ask_use = a & XGETBV_IN_USE;
	hotpath__vector_state = components;
}

void hotpath__keep_registers(unsigned times)
{
	for (; times > 0; times--)
		hotpath__sled_jump();
}

/* clang-format off */
#define STUB(name, function)                                                                       \
	__asm__(".pushsection .text\n.p2align 4\n.hidden " name "\n.globl " name "\n.type " name ",@function\n" \
		name ":\n"                                                                         \
		"\t.cfi_startproc\n"                                                               \
		"\tpush %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp, -16\n"                 \
		"\tmov %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n"                                 \
		"\tpush %rbx\n\t.cfi_offset %rbx, -24\n"                                          \
		"\tpush %rax\n\tpush %rcx\n\tpush %rdx\n\tpush %rsi\n\tpush %rdi\n"                \
		"\tpush %r8\n\tpush %r9\n\tpush %r10\n\tpush %r11\n"                               \
		"\tmov %rdx, %r8\n"                                                                \
		"\tmov hotpath__vector_state(%rip), %ebx\n"                                         \
		"\ttest %ebx, %ebx\n\tjz 3f\n"                                                     \
		"\tmov $" AVX_END ", %r10d\n"                                                        \
		"\ttest $" UPPER_ZMM ", %ebx\n\tjz 2f\n"                                            \
		"\tcmpl $0, hotpath__can_ask_use(%rip)\n\tjz 1f\n"                                 \
		"\tmov $1, %ecx\n\txgetbv\n"                                                       \
		"\tor $~" UPPER_ZMM ", %eax\n\tand %eax, %ebx\n"                                    \
		"\ttest $" UPPER_ZMM ", %ebx\n\tjz 2f\n"                                            \
		"1:\tmov $" UPPER_ZMM_END ", %r10d\n"                                                \
		"2:\tsub %r10, %rsp\n\tand $-64, %rsp\n"                                           \
		"\txor %eax, %eax\n"                                                               \
		"\tmov %rax, 512(%rsp)\n\tmov %rax, 520(%rsp)\n\tmov %rax, 528(%rsp)\n"            \
		"\tmov %rax, 536(%rsp)\n\tmov %rax, 544(%rsp)\n\tmov %rax, 552(%rsp)\n"            \
		"\tmov %rax, 560(%rsp)\n\tmov %rax, 568(%rsp)\n"                                   \
		"\tmov %ebx, %eax\n\txor %edx, %edx\n\txsave64 (%rsp)\n"                          \
		"\tmov %r8, %rdx\n\tcall " function "\n"                                           \
		"\tmov %ebx, %eax\n\txor %edx, %edx\n\txrstor64 (%rsp)\n"                         \
		"\tjmp 4f\n"                                                                       \
		"3:\tsub $512, %rsp\n\tand $-16, %rsp\n\tfxsave64 (%rsp)\n"                        \
		"\tcall " function "\n"                                                            \
		"\tfxrstor64 (%rsp)\n"                                                             \
		"4:\tlea -80(%rbp), %rsp\n"                                                        \
		"\tpop %r11\n\tpop %r10\n\tpop %r9\n\tpop %r8\n"                                   \
		"\tpop %rdi\n\tpop %rsi\n\tpop %rdx\n\tpop %rcx\n\tpop %rax\n\tpop %rbx\n"         \
		"\tpop %rbp\n\t.cfi_def_cfa %rsp, 8\n\tret\n"                                      \
		"\t.cfi_endproc\n.size " name ", .-" name "\n.popsection\n")
/* clang-format on */

STUB("hotpath__sled_enter_kept", "hotpath__sled_enter_slow");
STUB("hotpath__sled_exit_kept", "hotpath__sled_exit_slow");
STUB("hotpath__sled_count_kept", "hotpath__sled_count_slow");
STUB("hotpath__sled_flush_kept", "hotpath__flush_and_leave");

#endif
