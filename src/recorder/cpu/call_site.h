/* SPDX-License-Identifier: MIT */
/* Reads the call instruction before an address that may be a return address. On x86-64 and aarch64; false elsewhere. */
#ifndef HOTPATH_CALL_SITE_H
#define HOTPATH_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Read bytes of code or data, which need not exist. If false, errno is EFAULT, or tells why nothing can be read. */
bool hotpath__peek(uintptr_t address, void *bytes, size_t size);
/* Whether the instruction before an address is a call; true also where a seccomp filter forbids to read it. */
bool hotpath__follows_call(uintptr_t address);
/* Whether the instruction before a return address is a call of a function, directly or by an entry of a PLT. False if the
   address is in a register. */
bool hotpath__call_goes_to(uintptr_t returns, uintptr_t function);

#ifdef __aarch64__

/* Code that does not return to its caller, as longjmp: which registers it has still to replace before it jumps. */
struct hotpath__jump {
	/* The link register is replaced; or the stack pointer. */
	bool sets_link;
	bool sets_sp;
	/* The stack pointer is replaced by the next instruction: by register `from`, or by the sum of both. */
	bool is_next;
	bool is_sum;
	unsigned from;
};

/* Read the code from an address on; false when it has no jump there, or cannot be read. */
bool hotpath__read_jump(uintptr_t address, struct hotpath__jump *jump);
/* The return address of the last call of a function in the code shortly before it, from another address downwards, or from
   the function itself; 0 if there is none. */
uintptr_t hotpath__call_before(uintptr_t function, uintptr_t below);

#endif

#pragma GCC visibility pop

#endif
