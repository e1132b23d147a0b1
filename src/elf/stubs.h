/* SPDX-License-Identifier: MIT */
/*
 * Stubs: what the linker puts in front of functions of other files.
 *
 *	main ──► stub in .plt, .plt.sec or .plt.got ──► slot ──► malloc, of another file
 *	         jumps to what the slot holds            └ named by the relocation that fills it
 *
 * No symbol covers them. As everything here, it allocates nothing, and believes nothing.
 */
#ifndef HP_ELF_STUBS_H
#define HP_ELF_STUBS_H

#include "elf_file.h"

/** A stub, by its addresses, and where the address is kept that it jumps to; 0 when it could not be found. */
struct hp_stub {
	uint64_t start;
	uint64_t end;
	uint64_t slot;
};

/** The stub at an address; false when there is none. */
bool hp_elf_stub_at(const struct hp_elf *elf, uint64_t address, struct hp_stub *stub);

/** Who fills a slot: a symbol of a table, or, with none, a function of the file that chooses one. */
struct hp_import {
	uint64_t slot;
	/** The section of the table, and the number in it. */
	uint32_t table;
	uint32_t symbol;
	uint64_t chooser;
};

/** Visit all that the dynamic linker fills in. */
void hp_elf_each_import(const struct hp_elf *elf,
			void (*visit)(void *context, const struct hp_import *import),
			void *context);

/** The name of what a slot is filled with, as the file has it; NULL when it has none. */
const char *hp_elf_import_name(const struct hp_elf *elf, const struct hp_import *import);

#endif
