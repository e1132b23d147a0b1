/* SPDX-License-Identifier: MIT */
/* Unwind tables, .eh_frame: where the return address of a function is, while it is at an address. */
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
 * Whether a function has nothing on the stack but its return address, so that the stack pointer points to it.
 *
 * @param entry
 *         The function's entry of the table, its FDE, which is loaded at entry_at.
 * @param common
 *         The CIE that belongs to it.
 * @param address
 *         The address in the function; the state before its instruction counts.
 * @return
 *         False also where the table does not say it, or not in the form that compilers write for x86-64.
 */
bool hp_unwind_returns_at_top(struct hp_unwind_bytes entry, uint64_t entry_at,
			      struct hp_unwind_bytes common, uint64_t address);

#endif
