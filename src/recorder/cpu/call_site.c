/* SPDX-License-Identifier: MIT */
/*
 * Reads the call instruction before an address that may be a return address, on x86-64.
 *
 * Code is read by a system call, because a word of a stack that looks like a return address may point to code that is being
 * unmapped. Some seccomp filters forbid that; then nothing is known of the call.
 */
#include "call_site.h"

#include "process/seccomp.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool hotpath__peek(uintptr_t address, void *bytes, size_t size)
{
	struct iovec local = { bytes, size };
	struct iovec remote = { (void *)address, size };

	/* A part that was read is no error: the rest has no memory. */
	errno = EFAULT;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

#if defined(__x86_64__)

enum {
	/* The longest call instruction without prefixes, in bytes. */
	CALL_MAX = 7,
	/* Direct calls and calls by a word relative to the instruction pointer. */
	CALL_DIRECT = 0xe8,
	CALL_DIRECT_SIZE = 5,
	/* Opcode of indirect calls and jumps; the middle bits of the next byte tell which. */
	INDIRECT = 0xff,
	INDIRECT_CALL = 2,
	/* The second byte of those whose target is in a word relative to the instruction pointer. */
	CALL_BY_WORD = 0x15,
	JUMP_BY_WORD = 0x25,
	BY_WORD_SIZE = 6,
	/* The longest entry of a PLT up to the end of its jump: endbr64, and a jump with a prefix. */
	STUB_MAX = 11,
};

/* The address that is as far from another one as four bytes of code say. */
static uintptr_t relative(uintptr_t from, const unsigned char *code)
{
	int32_t distance;

	memcpy(&distance, code, sizeof(distance));
	return from + (uintptr_t)(intptr_t)distance;
}

/* The size of an indirect call, by the byte after its opcode. */
static unsigned indirect_size(unsigned operand)
{
	unsigned mode = operand >> 6, reg = operand & 7;
	unsigned size = mode != 3 && reg == 4 ? 3 : 2;

	if (mode == 1)
		return size + 1;
	return mode == 2 || (mode == 0 && reg == 5) ? size + 4 : size;
}

bool hotpath__follows_call(uintptr_t address)
{
	unsigned char code[CALL_MAX];

	if (!hotpath__peek(address - CALL_MAX, code, sizeof(code)))
		return errno != EFAULT;
	for (unsigned size = 2; size <= CALL_MAX; size++) {
		const unsigned char *at = code + CALL_MAX - size;
		if (size == CALL_DIRECT_SIZE && at[0] == CALL_DIRECT)
			return true;
		if (at[0] == INDIRECT && (at[1] >> 3 & 7) == INDIRECT_CALL &&
		    indirect_size(at[1]) == size)
			return true;
	}
	return false;
}

static bool word_is(uintptr_t address, uintptr_t wanted)
{
	uintptr_t word;

	return hotpath__peek(address, &word, sizeof(word)) && word == wanted;
}

/* Whether there is an entry of a PLT at an address that jumps to a function. */
static bool is_stub_of(uintptr_t stub, uintptr_t function)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, bnd[] = { 0xf2 };
	unsigned char code[STUB_MAX];
	unsigned at = 0;

	if (!hotpath__peek(stub, code, sizeof(code)))
		return false;
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (memcmp(code + at, bnd, sizeof(bnd)) == 0)
		at += sizeof(bnd);
	if (code[at] != INDIRECT || code[at + 1] != JUMP_BY_WORD)
		return false;
	return word_is(relative(stub + at + BY_WORD_SIZE, code + at + 2), function);
}

bool hotpath__call_goes_to(uintptr_t returns, uintptr_t function)
{
	unsigned char code[BY_WORD_SIZE];

	if (!hotpath__peek(returns - sizeof(code), code, sizeof(code)))
		return false;
	if (code[0] == INDIRECT && code[1] == CALL_BY_WORD &&
	    word_is(relative(returns, code + 2), function))
		return true;
	if (code[1] != CALL_DIRECT)
		return false;
	uintptr_t target = relative(returns, code + 2);
	return target == function || is_stub_of(target, function);
}

#elif !defined(__aarch64__)

bool hotpath__follows_call(uintptr_t address)
{
	(void)address;
	return false;
}

bool hotpath__call_goes_to(uintptr_t returns, uintptr_t function)
{
	(void)returns;
	(void)function;
	return false;
}

#endif
