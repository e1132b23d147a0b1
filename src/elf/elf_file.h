/* SPDX-License-Identifier: MIT */
/*
 * A view of an ELF file: what it is called, what it needs, which functions it has.
 *
 * Nothing here allocates but by mmap, locks or writes. So it can be used in a signal handler, or inside malloc. The file may
 * come from anyone: every offset and number in it is checked, and what does not fit is taken for absent. It may also
 * change, or be cut short, at any moment: what is looked at is a copy, which does not.
 */
#ifndef HP_ELF_FILE_H
#define HP_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A 64-bit ELF file of this machine's byte order, for any processor. */
struct hp_elf {
	/** Of a file that was opened, valid only where it was read. */
	const unsigned char *bytes;
	size_t size;
	/** Which parts were read, and from where; NULL for what was in memory already. */
	struct hp_elf_blocks *blocks;
};

/** A function as the file names it. Its name is in the file. */
struct hp_symbol {
	const char *name;
	/** Its entry, as in the file: in memory, the address less the file's load bias. */
	uint64_t address;
	/** 0 when not known. */
	uint64_t size;
	/** How far behind its entry something may still be of it: its size or, if that is not known, the rest of its
	    section. */
	uint64_t reach;
	/** Of several names for one address the one to show has the highest: global, weak, local. */
	unsigned rank;
};

/**
 * Open a file.
 *
 * @return
 *         0, or a negative errno: -ENOEXEC for what is no such ELF file.
 */
int hp_elf_open(struct hp_elf *elf, const char *path);

/** Look at a file that is in memory already, and stays there. Returns as hp_elf_open. */
int hp_elf_view(struct hp_elf *elf, const void *bytes, size_t size);

/** Harmless when it could not be opened, and when done twice. */
void hp_elf_close(struct hp_elf *elf);

/** All bytes of the file. */
const unsigned char *hp_elf_whole(const struct hp_elf *elf);

/** Read the tables of symbols and close the file: from now on there is nothing else in it. */
void hp_elf_keep_symbols(struct hp_elf *elf);

/** The build id, which is in the file, and its size; 0 when there is none. */
size_t hp_elf_build_id(const struct hp_elf *elf, const unsigned char **id);

/** The first note of an owner and type that the program is loaded with, as hp_note_find finds it. */
const void *hp_elf_note(const struct hp_elf *elf, const char *owner, uint32_t type, size_t *length);

/** The name of the file that the symbols were moved to, and that file's CRC-32; NULL when there is none. */
const char *hp_elf_debug_link(const struct hp_elf *elf, uint32_t *crc);

/** The program that loads it; NULL for a library or a static program. */
const char *hp_elf_interpreter(const struct hp_elf *elf);

/** Whether it needs a library whose name begins so. */
bool hp_elf_needs(const struct hp_elf *elf, const char *prefix);

/** Whether it has the table of all symbols, which stripping takes away. */
bool hp_elf_has_symtab(const struct hp_elf *elf);

/** Visit every function: first of the table of all symbols, then of those for the dynamic linker. */
void hp_elf_each_function(const struct hp_elf *elf,
			  void (*visit)(void *context, const struct hp_symbol *symbol),
			  void *context);

/** The function that begins at an address; of several the best, of equals the first. */
bool hp_elf_function_at(const struct hp_elf *elf, uint64_t address, struct hp_symbol *symbol);

/** Where the function begins that an address is in, as the tables for unwinding have it: stripping leaves them. */
bool hp_elf_function_start(const struct hp_elf *elf, uint64_t address, uint64_t *start);

/** Whether a function that begins at start has a frame pointer of its own when it has come to an address; true where
    that is not known. */
bool hp_elf_keeps_frame(const struct hp_elf *elf, uint64_t start, uint64_t end);

/** Where it is to be seen who called a function. */
enum hp_elf_caller {
	/** In the link register, if it has called no other; where there is none, at the top of the stack. */
	HP_ELF_CALLER_LINK,
	/** In its frame, to which the frame pointer points. */
	HP_ELF_CALLER_FRAME,
	/** Somewhere on the stack: the frame pointer is its caller's. */
	HP_ELF_CALLER_HIDDEN,
};

/** The same for a function that begins at start and was interrupted at an address. */
enum hp_elf_caller hp_elf_caller(const struct hp_elf *elf, uint64_t start, uint64_t address);

/** Whether it has a function of this name for the dynamic linker, which others may call. */
bool hp_elf_exports(const struct hp_elf *elf, const char *name);

#endif
