/* SPDX-License-Identifier: MIT */
/*
 * Stubs that save registers around what sleds lead to, which is ordinary C: those with arguments and results of the program,
 * x0 to x8; x18, by which nested functions find the variables of the function around them, and which is a stack pointer in
 * programs with a stack of return addresses (-fsanitize=shadow-call-stack); and in front of a tail call what it may jump to.
 * x9 has the link register of the function, and x10 led here.
 *
 * The link register has the address behind the sled, and not that of the caller of the function, until the code below restores it.
 * So that debuggers see the caller, the unwind tables have the address behind the sled in the column of x10.
 */
#include "sled_calls.h"

#ifdef __aarch64__

#include "calls/counting.h"

#include <stdbool.h>
#include <sys/auxv.h>

/* Whether vector registers may be longer than 16 bytes (SVE); used by the stubs alone. */
__attribute__((used, visibility("hidden"))) bool hotpath__has_sve;

void hotpath__measure_registers(void)
{
	hotpath__has_sve = getauxval(AT_HWCAP) & (1 << 22);
}

void hotpath__keep_registers(unsigned times)
{
	(void)times;
}

/* clang-format off */
#define BEGIN(name)                                                                                \
	".pushsection .text\n.p2align 4\n.hidden " name "\n.globl " name "\n.type " name ",%function\n" name ":\n" \
	"\t.cfi_startproc\n"
#define END(name) "\t.cfi_endproc\n.size " name ", .-" name "\n.popsection\n"
/* Where indirect jumps may lead to: bti jc. */
#define LANDING "\thint #38\n"
#define SAVE_8                                                                                     \
	"\tstp x0, x1, [sp, #16]\n\tstp x2, x3, [sp, #32]\n\tstp x4, x5, [sp, #48]\n"              \
	"\tstp x6, x7, [sp, #64]\n"
#define LOAD_8                                                                                     \
	"\tldp x0, x1, [sp, #16]\n\tldp x2, x3, [sp, #32]\n\tldp x4, x5, [sp, #48]\n"              \
	"\tldp x6, x7, [sp, #64]\n"

/* Called by a sled: x30 is the address behind it. */
#define CALLED(name, save, load, arguments, function)                                              \
	__asm__(BEGIN(name)                                                                        \
		"\t.cfi_return_column 10\n\t.cfi_register 10, 30\n\t.cfi_register 30, 9\n"         \
		LANDING                                                                            \
		"\tstp x29, x30, [sp, #-160]!\n\t.cfi_def_cfa_offset 160\n\t.cfi_offset 29, -160\n\t.cfi_offset 10, -152\n" \
		SAVE_8 "\tstp x8, x9, [sp, #80]\n\t.cfi_offset 30, -72\n" save                     \
		"\tmov x29, sp\n" arguments                                                        \
		"\tbl " function "\n"                                                              \
		load LOAD_8                                                                        \
		"\tldp x8, x30, [sp, #80]\n\t.cfi_same_value 30\n"                                 \
		"\tldp x29, x10, [sp], #160\n\t.cfi_def_cfa_offset 0\n\t.cfi_same_value 29\n\t.cfi_same_value 10\n" \
		"\tret x10\n" END(name))

CALLED("hotpath__sled_enter", "\tstr x18, [sp, #96]\n", "\tldr x18, [sp, #96]\n", "\tmov x0, x30\n\tadd x1, sp, #160\n\tmov x2, x9\n",
       "hotpath__sled_entered");
CALLED("hotpath__sled_count", "\tstr x18, [sp, #96]\n", "\tldr x18, [sp, #96]\n", "\tmov x0, x30\n\tadd x1, sp, #160\n", "hotpath__sled_counted");
CALLED("hotpath__sled_jump",
       "\tstp x11, x12, [sp, #96]\n\tstp x13, x14, [sp, #112]\n\tstp x15, x16, [sp, #128]\n\tstp x17, x18, [sp, #144]\n",
       "\tldp x11, x12, [sp, #96]\n\tldp x13, x14, [sp, #112]\n\tldp x15, x16, [sp, #128]\n\tldp x17, x18, [sp, #144]\n",
       "\tadd x0, sp, #160\n", "hotpath__sled_left");

/* Jumped to in place of a return. */
__asm__(BEGIN("hotpath__sled_return")
	LANDING
	"\tstp x29, x30, [sp, #-96]!\n\t.cfi_def_cfa_offset 96\n\t.cfi_offset 29, -96\n\t.cfi_offset 30, -88\n"
	SAVE_8
	"\tstp x8, x18, [sp, #80]\n\tmov x29, sp\n\tadd x0, sp, #96\n"
	"\tbl hotpath__sled_left\n"
	LOAD_8
	"\tldp x8, x18, [sp, #80]\n"
	"\tldp x29, x30, [sp], #96\n\t.cfi_def_cfa_offset 0\n\t.cfi_restore 29\n\t.cfi_restore 30\n"
	"\tret\n" END("hotpath__sled_return"));

#define PAIR(operation, a, b, at) "\t" operation " q" #a ", q" #b ", [sp, #" #at "]\n"
#define VECTORS(operation)                                                                         \
	PAIR(operation, 0, 1, 0) PAIR(operation, 2, 3, 32) PAIR(operation, 4, 5, 64)               \
	PAIR(operation, 6, 7, 96) PAIR(operation, 8, 9, 128) PAIR(operation, 10, 11, 160)          \
	PAIR(operation, 12, 13, 192) PAIR(operation, 14, 15, 224) PAIR(operation, 16, 17, 256)     \
	PAIR(operation, 18, 19, 288) PAIR(operation, 20, 21, 320) PAIR(operation, 22, 23, 352)     \
	PAIR(operation, 24, 25, 384) PAIR(operation, 26, 27, 416) PAIR(operation, 28, 29, 448)     \
	PAIR(operation, 30, 31, 480)

/* Predicates have an eighth of the length of vectors: 16 of them are as long as two. Both are counted in their own length. */
#define SCALABLE(operation, name, numbers, base)                                                   \
	"\t.irp n, " numbers "\n\t" operation " " name "\\n, [sp, #" #base " + \\n, mul vl]\n\t.endr\n"
#define TO_15 "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define TO_31 TO_15 ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
#define ALL_SCALABLE(operation) SCALABLE(operation, "p", TO_15, 0) SCALABLE(operation, "z", TO_31, 2)

/* The other registers are saved already: this is called by C. */
#define KEPT(name, function)                                                                       \
	__asm__(BEGIN(name) LANDING                                                                \
		"\tstp x29, x30, [sp, #-16]!\n\t.cfi_def_cfa_offset 16\n"                          \
		"\t.cfi_offset 29, -16\n\t.cfi_offset 30, -8\n"                                    \
		"\tmov x29, sp\n\t.cfi_def_cfa_register 29\n"                                      \
		"\tadrp x9, hotpath__has_sve\n\tldrb w9, [x9, :lo12:hotpath__has_sve]\n"           \
		"\tcbnz w9, 1f\n"                                                                  \
		"\tsub sp, sp, #512\n" VECTORS("stp")                                              \
		"\tbl " function "\n" VECTORS("ldp")                                               \
		"\tb 2f\n"                                                                         \
		"1:\t.arch_extension sve\n"                                                        \
		"\taddvl sp, sp, #-32\n\taddvl sp, sp, #-2\n" ALL_SCALABLE("str")                  \
		"\tbl " function "\n" ALL_SCALABLE("ldr")                                          \
		"\t.arch_extension nosve\n"                                                        \
		"2:\tmov sp, x29\n\t.cfi_def_cfa_register 31\n"                                    \
		"\tldp x29, x30, [sp], #16\n\t.cfi_def_cfa_offset 0\n"                             \
		"\t.cfi_restore 29\n\t.cfi_restore 30\n\tret\n" END(name))

KEPT("hotpath__sled_enter_kept", "hotpath__sled_enter_slow");
KEPT("hotpath__sled_exit_kept", "hotpath__sled_exit_slow");
KEPT("hotpath__sled_count_kept", "hotpath__sled_count_slow");
KEPT("hotpath__sled_flush_kept", "hotpath__flush_and_leave");
/* clang-format on */

#endif
