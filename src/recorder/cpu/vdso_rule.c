/* SPDX-License-Identifier: MIT */
/*
 * Rules for the code that the kernel maps into each process (vDSO). On aarch64 it has no unwind tables.
 *
 * Its functions need no stack, but for few of newer kernels: so the caller is in the link register. If any instruction of
 * the vDSO moves the stack pointer, there is no rule; data may look like such an instruction, and does no harm.
 */
#include "vdso_rule.h"

#include "unwind.h"

#ifdef __aarch64__

/* add or sub, of an immediate, to the stack pointer. */
#define ADD UINT32_C(0x1100001f)
#define ADD_MASK UINT32_C(0x3f80001f)
/* Loads and stores of a pair or of one register that also move the stack pointer, before or after. */
#define PAIR UINT32_C(0x288003e0)
#define PAIR_MASK UINT32_C(0x3e8003e0)
#define SINGLE UINT32_C(0x380007e0)
#define SINGLE_MASK UINT32_C(0x3b2007e0)

static bool moves_sp(uint32_t instruction)
{
	return (instruction & ADD_MASK) == ADD || (instruction & PAIR_MASK) == PAIR ||
	       (instruction & SINGLE_MASK) == SINGLE;
}

uint64_t hotpath__vdso_rule(uintptr_t start, uintptr_t end)
{
	const uint32_t *code = (const uint32_t *)start;

	for (uintptr_t i = 0; i < (end - start) / sizeof(*code); i++)
		if (moves_sp(code[i]))
			return HP_RULE_NONE;
	return hp_rule_pack(&(struct hp_rule){ .kind = HP_RULE_SP });
}

#else

uint64_t hotpath__vdso_rule(uintptr_t start, uintptr_t end)
{
	(void)start;
	(void)end;
	return HP_RULE_NONE;
}

#endif
