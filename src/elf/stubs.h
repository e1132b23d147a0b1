/* SPDX-License-Identifier: MIT */
/*
 * Linker stubs (PLT entries): they jump to functions of other files.
 *
 *	main ──► stub in .plt, .plt.sec or .plt.got ──► slot ──► malloc, of another file
 *	         jumps to what the slot holds            └ named by the relocation that fills it
 *
 * They have no symbols. Like everything here, this allocates nothing and trusts nothing.
 */
#ifndef HP_ELF_STUBS_H
#define HP_ELF_STUBS_H

#include "elf_file.h"

/** A stub: its address range, and the GOT slot it jumps through; 0 if not found. */
struct hp_stub {
	uint64_t start;
	uint64_t end;
	uint64_t slot;
};

/** The stub at an address; false when there is none. */
bool hp_elf_stub_at(const struct hp_elf *elf, uint64_t address, struct hp_stub *stub);

/** The relocation of a slot: a symbol of a table or, without one, an IFUNC resolver of the file. */
struct hp_import {
	uint64_t slot;
	/** The section of the table, and the number in it. */
	uint32_t table;
	uint32_t symbol;
	uint64_t chooser;
};

/** Visit all relocations of slots. */
void hp_elf_each_import(const struct hp_elf *elf,
			void (*visit)(void *context, const struct hp_import *import),
			void *context);

/** The name of the function in a slot; NULL if there is none. */
const char *hp_elf_import_name(const struct hp_elf *elf, const struct hp_import *import);

#endif
