/* SPDX-License-Identifier: MIT */
/* Reads the call instruction before an address that may be a return address, on aarch64. */
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

enum { INSTRUCTION = 4, PAGE_BITS = 12 };

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

#endif
