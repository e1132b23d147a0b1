/* SPDX-License-Identifier: MIT */
/* Shared by the files that read ELF: parts of a file, with bounds checks. */
#ifndef HP_ELF_PARTS_H
#define HP_ELF_PARTS_H

#include "elf_file.h"

#include <elf.h>

/** A part of the file; empty if it does not exist. */
struct hp_part {
	const unsigned char *bytes;
	uint64_t size;
};

/** Read a part of the file, which lies inside it, unless it was read before. */
void hp_elf_fetch(const struct hp_elf *elf, uint64_t offset, uint64_t size);

/** Close the file: what was not read before is zero from now on. */
void hp_elf_let_go(struct hp_elf *elf);

/** A part of the file by its place, read if need be; empty if it is out of bounds. */
struct hp_part hp_elf_part(const struct hp_elf *elf, uint64_t offset, uint64_t size);

/** Copy the nth struct of an array in a part; false if it is out of bounds. */
bool hp_part_nth(struct hp_part table, uint64_t nth, void *into, size_t size);

/** Cut a string table after its last NUL, so that every string in it is terminated. */
struct hp_part hp_part_strings(struct hp_part part);

/** The string at an offset of such a part; NULL if it is out of bounds. */
const char *hp_part_string(struct hp_part strings, uint64_t at);

/** EM_X86_64 or another. */
uint16_t hp_elf_machine(const struct hp_elf *elf);

/** The nth program header; false when there are not so many. */
bool hp_elf_program_header(const struct hp_elf *elf, unsigned nth, Elf64_Phdr *segment);

/** The first one of a type; false when there is none. */
bool hp_elf_program_header_of(const struct hp_elf *elf, uint32_t type, Elf64_Phdr *segment);

/** The bytes that are loaded at an address: so many, or fewer if its segment ends before. */
struct hp_part hp_elf_loaded_at(const struct hp_elf *elf, uint64_t address, uint64_t size);

/** The nth section; false when there are not so many. */
bool hp_elf_section(const struct hp_elf *elf, uint64_t nth, Elf64_Shdr *section);

/** The strings in which sections have their names, at sh_name. */
struct hp_part hp_elf_section_names(const struct hp_elf *elf);

struct hp_part hp_elf_contents(const struct hp_elf *elf, const Elf64_Shdr *section);

#endif
