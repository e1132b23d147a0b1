/* SPDX-License-Identifier: MIT */
/*
 * Sleds of aarch64: src/assembler/machine_aarch64.c says what they look like.
 *
 * A sled is one word, a NOP, which becomes a B or a BL. The architecture defines what happens when one of these is replaced
 * by another while it is executed: either of them is. So there is one step.
 */
#include "patch.h"

#ifdef __aarch64__

#include "atomic.h"
#include "sleds.h"

#define NOP UINT32_C(0xd503201f)
#define RET UINT32_C(0xd65f03c0)
#define B UINT32_C(0x14000000)
#define BL UINT32_C(0x94000000)
#define BRANCH_MASK UINT32_C(0xfc000000)
/* mov x9, x30 */
#define SAVE UINT32_C(0xaa1e03e9)
/* A breakpoint, whatever its number is. */
#define BRK UINT32_C(0xd4200000)
#define BRK_MASK UINT32_C(0xffe0001f)
/* Where indirect calls may lead to: bti c. */
#define LANDING UINT32_C(0xd503245f)

const unsigned hotpath__patch_steps = 1;
const uintptr_t hotpath__sled_size = 4;
const uintptr_t hotpath__entry_size = 4;
/* The instructions before and behind it. */
const uintptr_t hotpath__sled_looks = 12;
const uintptr_t hotpath__sled_before = 4;
/* A branch reaches 128 MB. */
const uintptr_t hotpath__sled_reach = UINT32_C(120) << 20;

static uint32_t word_at(uintptr_t place)
{
	return load((const uint32_t *)place, RELAXED);
}

bool hotpath__has_breakpoint(uintptr_t place)
{
	return (word_at(place) & BRK_MASK) == BRK;
}

bool hotpath__is_sled(uintptr_t place, bool is_entry)
{
	if (place % 4)
		return false;
	uint32_t word = word_at(place), branch = word & BRANCH_MASK;
	bool is_one = word == NOP || hotpath__has_breakpoint(place);

	/* Debuggers put breakpoints where functions begin, too. */
	if (word_at(place - 4) == SAVE || hotpath__has_breakpoint(place - 4))
		return is_one || branch == BL;
	return !is_entry && word_at(place + 4) == RET && (is_one || branch == B);
}

enum sled_kind hotpath__sled_kind(uintptr_t place, bool is_entry)
{
	if (is_entry)
		return SLED_ENTRY;
	return word_at(place + 4) == RET ? SLED_RETURN : SLED_JUMP;
}

void hotpath__patch(unsigned step, uintptr_t place, enum sled_kind kind, uintptr_t target,
		    bool armed)
{
	uint32_t branch = (kind == SLED_RETURN ? B : BL) |
			  ((uint32_t)((target - place) >> 2) & UINT32_C(0x3ffffff));

	(void)step;
	store((uint32_t *)place, armed ? branch : NOP, RELAXED);
}

/* ldr x10, .+8; br x10. That register has no meaning where there is a sled. */
const uint64_t hotpath__far_jump = UINT64_C(0xd61f01405800004a);

/* The word before the sled saves the link register; before that may be a place for indirect calls. */
uintptr_t hotpath__sled_function(uintptr_t body)
{
	uintptr_t first = body - 8;

	return word_at(first - 4) == LANDING ? first - 4 : first;
}

#endif
