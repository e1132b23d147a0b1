/* SPDX-License-Identifier: MIT */
/*
 * A view of an ELF file: its build id, dependencies and functions.
 *
 * Nothing here locks or writes, and memory only comes from mmap. So it can be used in a signal handler, or inside
 * malloc. Files are untrusted: every offset and number is checked, and invalid ones count as absent. A file may
 * change or be truncated at any moment: only a private copy of it is used.
 */
#ifndef HP_ELF_FILE_H
#define HP_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A 64-bit ELF file of this machine's byte order, for any processor. */
struct hp_elf {
	/** For a file that was opened, only valid where it was read. */
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
	/** Upper bound of its extent: its size or, if not known, the rest of its section. */
	uint64_t reach;
	/** Of several symbols for one address, the one with the highest rank is shown: global, weak, local. */
	unsigned rank;
};

/**
 * Open a file.
 *
 * @return
 *         0, or a negative errno: -ENOEXEC for what is no such ELF file.
 */
int hp_elf_open(struct hp_elf *elf, const char *path);

/** How many bytes of files were read so far, in all of the process. */
extern uint64_t hp_elf_read_bytes;

/** View a file that is in memory already, and stays there. Returns as hp_elf_open. */
int hp_elf_view(struct hp_elf *elf, const void *bytes, size_t size);

/** Open our own vDSO, which is that of all processes of this kernel. Returns 0, or -ENOENT if there is none. */
int hp_elf_open_vdso(struct hp_elf *elf);

/** May be called if it could not be opened, and twice. */
void hp_elf_close(struct hp_elf *elf);

/** All bytes of the file. */
const unsigned char *hp_elf_whole(const struct hp_elf *elf);

/** Read the symbol tables and close the file: afterwards only these are available. */
void hp_elf_keep_symbols(struct hp_elf *elf);

/** The build id, a pointer into the file, and its size; 0 if there is none. */
size_t hp_elf_build_id(const struct hp_elf *elf, const unsigned char **id);

/** The first note of an owner and type that the program is loaded with, as hp_note_find finds it. */
const void *hp_elf_note(const struct hp_elf *elf, const char *owner, uint32_t type, size_t *length);

/** The contents of .gnu_debuglink: the name of the debug file, and its CRC-32; NULL if there is none. */
const char *hp_elf_debug_link(const struct hp_elf *elf, uint32_t *crc);

/** The dynamic linker (PT_INTERP); NULL for a library or a static program. */
const char *hp_elf_interpreter(const struct hp_elf *elf);

/** Whether it needs (DT_NEEDED) a library whose name has this prefix. */
bool hp_elf_needs(const struct hp_elf *elf, const char *prefix);

/** Whether it has .symtab, which stripping removes. */
bool hp_elf_has_symtab(const struct hp_elf *elf);

/** Visit every function: first those of .symtab, then those of .dynsym. */
void hp_elf_each_function(const struct hp_elf *elf,
			  void (*visit)(void *context, const struct hp_symbol *symbol),
			  void *context);

/** The same of variables. */
void hp_elf_each_variable(const struct hp_elf *elf,
			  void (*visit)(void *context, const struct hp_symbol *symbol),
			  void *context);

/** The function that begins at an address; of several, the one with the best rank, or the first of equals. */
bool hp_elf_function_at(const struct hp_elf *elf, uint64_t address, struct hp_symbol *symbol);

/** The start of the function that contains an address, from the unwind tables, which stripping leaves. */
bool hp_elf_function_start(const struct hp_elf *elf, uint64_t address, uint64_t *start);

struct hp_unwind_region;

/**
 * Read the unwind tables: .eh_frame_hdr, which is loaded at *header, and .eh_frame.
 *
 * @param most
 *         How many bytes they may have.
 * @return
 *         False if there are none, or they are larger. The region is valid until the file is closed.
 */
bool hp_elf_unwinding(const struct hp_elf *elf, uint64_t most, struct hp_unwind_region *region,
		      uint64_t *header);

/**
 * Read .eh_frame alone, by its section, if there is no .eh_frame_hdr.
 *
 * @return
 *         As hp_elf_unwinding.
 */
bool hp_elf_frames(const struct hp_elf *elf, uint64_t most, struct hp_unwind_region *region);

/**
 * Whether a function that begins at start has set up its frame pointer when it is at an address; true if not known.
 */
bool hp_elf_keeps_frame(const struct hp_elf *elf, uint64_t start, uint64_t end);

/** Where the return address of a function is. */
enum hp_elf_caller {
	/**
	 * In the link register, if the function has called no other; on machines without one, at the top of the
	 * stack.
	 */
	HP_ELF_CALLER_LINK,
	/** In its frame record, which the frame pointer points to. */
	HP_ELF_CALLER_FRAME,
	/** Somewhere on the stack: the frame pointer is still its caller's. */
	HP_ELF_CALLER_HIDDEN,
};

/** The same for a function that begins at start and was interrupted at an address. */
enum hp_elf_caller hp_elf_caller(const struct hp_elf *elf, uint64_t start, uint64_t address);

/** Whether it exports a function of this name (.dynsym). */
bool hp_elf_exports(const struct hp_elf *elf, const char *name);

#endif
