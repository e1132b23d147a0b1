/* SPDX-License-Identifier: MIT */
/*
 * Sleds of x86-64: src/assembler/machine_x86_64.c says what they look like.
 *
 * An entry, or a jump, is 7 bytes in a word of 8:
 *
 *	               66 90   0f 1f 44 00 00     not armed
 *	first step     eb 05   0f 1f 44 00 00     jumps over what is changed next
 *	second step    eb 05   e8 .. .. .. ..
 *	third step     66 90   e8 .. .. .. ..     armed: calls the recorder
 *
 * A thread that stands between the two instructions finds a whole one there at any time, since the word is stored at once.
 * A return is armed by its first byte; the jump behind it is never reached before.
 */
#include "patch.h"

#ifdef __x86_64__

#include "atomic.h"
#include "sleds.h"

#include <string.h>

#define SKIP UINT64_C(0x05eb)
#define NOP_2 UINT64_C(0x9066)
#define NOP_5 (UINT64_C(0x0000441f0f) << 16)
#define FIRST UINT64_C(0xffff)
/* The last byte of the word belongs to the instruction behind the sled. */
#define BEHIND (UINT64_C(0xff) << 56)

enum {
	RET = 0xc3,
	NOP = 0x90,
	INT3 = 0xcc,
	CALL = 0xe8,
	JUMP = 0xe9,
	STEPS = 3,
	CALL_AT = 2,
	CALL_SIZE = 5,
	/* What is stored at once. */
	WORD = 8,
};

const unsigned hotpath__patch_steps = STEPS;
/* A return and the jump behind it. */
const uintptr_t hotpath__sled_size = 1 + CALL_SIZE;
const uintptr_t hotpath__entry_size = CALL_AT + CALL_SIZE;
const uintptr_t hotpath__sled_looks = 1 + CALL_SIZE;
const uintptr_t hotpath__sled_before = 0;
/* Less than 2 GB, for the size of a module. */
const uintptr_t hotpath__sled_reach = UINT32_C(1) << 30;

bool hotpath__has_breakpoint(uintptr_t place)
{
	return *(const volatile uint8_t *)place == INT3;
}

/* A change that was interrupted may have left any of its steps. A word lies in one page. */
static bool is_call(uintptr_t place)
{
	if (place % WORD)
		return false;
	uint64_t word = load((const uint64_t *)place, RELAXED), first = word & FIRST;
	uint64_t middle = word & ~(FIRST | BEHIND);

	return (first == NOP_2 || first == SKIP || hotpath__has_breakpoint(place)) &&
	       (middle == NOP_5 || (middle >> 16 & 0xff) == CALL);
}

static bool is_return(uintptr_t place)
{
	const volatile uint8_t *bytes = (const volatile uint8_t *)place;

	return (bytes[0] == RET || bytes[0] == NOP || hotpath__has_breakpoint(place)) &&
	       bytes[1] == JUMP;
}

bool hotpath__is_sled(uintptr_t place, bool is_entry)
{
	return is_call(place) || (!is_entry && is_return(place));
}

enum sled_kind hotpath__sled_kind(uintptr_t place, bool is_entry)
{
	uint8_t byte = *(const volatile uint8_t *)place;

	if (is_entry)
		return SLED_ENTRY;
	return byte == RET || byte == NOP ? SLED_RETURN : SLED_JUMP;
}

static uint64_t call_to(uintptr_t place, uintptr_t target)
{
	uint32_t distance = (uint32_t)(target - (place + CALL_AT + CALL_SIZE));

	return ((uint64_t)distance << 8 | CALL) << 16;
}

static void patch_call(unsigned step, uintptr_t place, uintptr_t target, bool armed)
{
	uint64_t *word = (uint64_t *)place, now = load(word, RELAXED);
	uint64_t middle = step == 0 ? now & ~(FIRST | BEHIND)
			  : armed   ? call_to(place, target)
				    : NOP_5;

	store(word, (now & BEHIND) | middle | (step < STEPS - 1 ? SKIP : NOP_2), RELAXED);
}

static void patch_return(unsigned step, uintptr_t place, uintptr_t target, bool armed)
{
	uint32_t distance = (uint32_t)(target - (place + 1 + CALL_SIZE));

	/* Not reached as long as the first byte is a return. */
	if (step == 0 && armed && *(const volatile uint8_t *)place == RET)
		memcpy((void *)(place + 2), &distance, sizeof(distance));
	else if (step == STEPS - 1)
		store((uint8_t *)place, armed ? NOP : RET, RELAXED);
}

void hotpath__patch(unsigned step, uintptr_t place, enum sled_kind kind, uintptr_t target,
		    bool armed)
{
	if (kind == SLED_RETURN)
		patch_return(step, place, target, armed);
	else
		patch_call(step, place, target, armed);
}

/* jmp *2(%rip); and two bytes that are not reached. */
const uint64_t hotpath__far_jump = UINT64_C(0xcccc0000000225ff);

/* What may be in a function before its sled takes 8 bytes, with what aligns that. */
static uintptr_t step_over(uintptr_t address, const uint8_t first[4])
{
	return memcmp((const void *)(address - 8), first, 4) == 0 ? address - 8 : address;
}

/* A function begins with its sled, unless it has a place for indirect calls first; and before that, by clang's
   -fsanitize=function, a jump over its type. */
uintptr_t hotpath__sled_function(uintptr_t body)
{
	static const uint8_t landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t type[] = { 0xeb, 0x06, 'v', '2' };

	return step_over(step_over(body - hotpath__entry_size, landing), type);
}

#endif
