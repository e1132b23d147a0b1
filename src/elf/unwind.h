/* SPDX-License-Identifier: MIT */
/* The tables for unwinding, .eh_frame: where a function returns to, while it is at an address. */
#ifndef HP_UNWIND_H
#define HP_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of a table, up to the end of what can be read. */
struct hp_unwind_bytes {
	const unsigned char *bytes;
	size_t size;
};

/**
 * Whether a function has nothing on the stack but where it returns to, so that the stack pointer points there.
 *
 * @param entry
 *         The function's entry of the table, its FDE, which is loaded at entry_at.
 * @param common
 *         The CIE that belongs to it.
 * @param address
 *         The place in the function, before which the stack is looked at.
 * @return
 *         False also where the table does not say it, or not in the form that compilers write for x86-64.
 */
bool hp_unwind_returns_at_top(struct hp_unwind_bytes entry, uint64_t entry_at,
			      struct hp_unwind_bytes common, uint64_t address);

#endif
