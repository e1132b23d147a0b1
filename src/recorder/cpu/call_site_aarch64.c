/* SPDX-License-Identifier: MIT */
/* Reads the call instruction before an address that may be a return address, on aarch64; and the code up to a jump. */
#include "call_site.h"

#ifdef __aarch64__

#include <errno.h>

#define BL UINT32_C(0x94000000)
#define BL_MASK UINT32_C(0xfc000000)
/* Calls by a register, also those that authenticate it. */
#define BLR UINT32_C(0xd63f0000)
#define BLR_MASK UINT32_C(0xfefff000)
#define BTI_C UINT32_C(0xd503245f)
/* adrp x16, PAGE; ldr x17, [x16, OFFSET] */
#define ADRP UINT32_C(0x90000010)
#define ADRP_MASK UINT32_C(0x9f00001f)
#define LDR UINT32_C(0xf9400211)
#define LDR_MASK UINT32_C(0xffc003ff)

/* Jumps by a register. */
#define JUMP UINT32_C(0xd6000000)
#define JUMP_MASK UINT32_C(0xfe000000)
/* nop, and instructions that are one on older processors: they sign and authenticate the link register. */
#define HINT UINT32_C(0xd503201f)
#define HINT_MASK UINT32_C(0xfffff01f)
/* mov sp, REGISTER; add sp, sp, REGISTER; all that add something for the stack pointer. */
#define MOVE_SP UINT32_C(0x9100001f)
#define MOVE_SP_MASK UINT32_C(0xfffffc1f)
#define SUM_SP UINT32_C(0x8b2063ff)
#define SUM_SP_MASK UINT32_C(0xffe0ffff)
#define SET_SP UINT32_C(0x9100001f)
#define SET_SP_MASK UINT32_C(0xbf80001f)
/* ldp, by any address; ldr by a register and a number; computations with a number, or with registers. */
#define LOAD_PAIR UINT32_C(0xa8400000)
#define LOAD_PAIR_MASK UINT32_C(0xfe400000)
#define LOAD UINT32_C(0xf8400000)
#define LOAD_MASK UINT32_C(0xfec00000)
#define COMPUTE UINT32_C(0x10000000)
#define COMPUTE_MASK UINT32_C(0x1c000000)
#define COMBINE UINT32_C(0x0a000000)
#define COMBINE_MASK UINT32_C(0x0e000000)

enum {
	INSTRUCTION = 4,
	PAGE_BITS = 12,
	LINK = 30,
	/* Instructions that are read at once; up to a jump; and in which a call is looked for. */
	PART = 16,
	JUMP_PARTS = 6,
	CALL_MAX = 16 * PART,
};

/* The instruction before a return address; 0, which is none, when it cannot be read. */
static uint32_t call_before(uintptr_t returns)
{
	uint32_t call;

	return hotpath__peek(returns - INSTRUCTION, &call, sizeof(call)) ? call : 0;
}

/* The number in some bits of an instruction, with its sign. */
static intptr_t number(uint32_t instruction, unsigned low, unsigned bits)
{
	return (intptr_t)((uint64_t)instruction << (64 - low - bits)) >> (64 - bits);
}

bool hotpath__follows_call(uintptr_t address)
{
	uint32_t call = call_before(address);

	if (!call)
		return errno != EFAULT;
	return (call & BL_MASK) == BL || (call & BLR_MASK) == BLR;
}

/* The page that an adrp at an address loads. */
static uintptr_t page_of(uint32_t adrp, uintptr_t at)
{
	intptr_t pages = (intptr_t)((uintptr_t)number(adrp, 5, 19) << 2 | (adrp >> 29 & 3));

	return ((at >> PAGE_BITS) + (uintptr_t)pages) << PAGE_BITS;
}

/* Whether there is an entry of a PLT at an address that jumps to a function. */
static bool is_stub_of(uintptr_t stub, uintptr_t function)
{
	uint32_t code[3];
	uintptr_t target;

	if (!hotpath__peek(stub, code, sizeof(code)))
		return false;
	unsigned at = code[0] == BTI_C;
	if ((code[at] & ADRP_MASK) != ADRP || (code[at + 1] & LDR_MASK) != LDR)
		return false;
	uintptr_t word = page_of(code[at], stub + (uintptr_t)at * INSTRUCTION) +
			 (code[at + 1] >> 10 & 0xfff) * sizeof(target);
	return hotpath__peek(word, &target, sizeof(target)) && target == function;
}

bool hotpath__call_goes_to(uintptr_t returns, uintptr_t function)
{
	uint32_t call = call_before(returns);

	if ((call & BL_MASK) != BL)
		return false;
	uintptr_t target = returns - INSTRUCTION + (uintptr_t)number(call, 0, 26) * INSTRUCTION;
	return target == function || is_stub_of(target, function);
}

/* ---- jumps ---- */

static bool sets_link(uint32_t instruction)
{
	unsigned first = instruction & 31, second = instruction >> 10 & 31;

	if ((instruction & LOAD_PAIR_MASK) == LOAD_PAIR)
		return first == LINK || second == LINK;
	return first == LINK &&
	       ((instruction & LOAD_MASK) == LOAD || (instruction & COMPUTE_MASK) == COMPUTE ||
		(instruction & COMBINE_MASK) == COMBINE);
}

static bool sets_sp(uint32_t instruction)
{
	return (instruction & SET_SP_MASK) == SET_SP || (instruction & SUM_SP_MASK) == SUM_SP;
}

/* Whether the stack pointer gets a value that is in a register, alone or added to its own. */
static bool takes_sp(uint32_t instruction, struct hotpath__jump *jump)
{
	jump->is_sum = (instruction & SUM_SP_MASK) == SUM_SP;
	jump->from = instruction >> (jump->is_sum ? 16 : 5) & 31;
	return jump->is_sum || (instruction & MOVE_SP_MASK) == MOVE_SP;
}

bool hotpath__read_jump(uintptr_t address, struct hotpath__jump *jump)
{
	uint32_t code[PART];
	bool is_first = true;

	*jump = (struct hotpath__jump){ .sets_link = false };
	for (unsigned i = 0; i < JUMP_PARTS * PART; i++) {
		uint32_t instruction;
		if (i % PART == 0 &&
		    !hotpath__peek(address + (uintptr_t)i * INSTRUCTION, code, sizeof(code)))
			return false;
		instruction = code[i % PART];
		if ((instruction & JUMP_MASK) == JUMP)
			return true;
		jump->sets_link |= sets_link(instruction);
		if (!jump->sets_sp && sets_sp(instruction)) {
			jump->sets_sp = true;
			jump->is_next = is_first && takes_sp(instruction, jump);
		}
		is_first &= (instruction & HINT_MASK) == HINT;
	}
	return false;
}

uintptr_t hotpath__call_before(uintptr_t function, uintptr_t below)
{
	uint32_t code[PART];

	for (uintptr_t i = (function - below) / INSTRUCTION; i < CALL_MAX; i++) {
		uintptr_t returns = function - i * INSTRUCTION;
		uintptr_t part = function - (i / PART + 1) * sizeof(code);
		if ((i % PART == 0 || returns == below) && !hotpath__peek(part, code, sizeof(code)))
			return 0;
		uint32_t call = code[PART - 1 - i % PART];
		if ((call & BL_MASK) == BL &&
		    returns - INSTRUCTION + (uintptr_t)number(call, 0, 26) * INSTRUCTION ==
			    function)
			return returns;
	}
	return 0;
}

#endif
