/* SPDX-License-Identifier: MIT */
/* What the files that read ELF share: parts of a file, which are never outside of it. */
#ifndef HP_ELF_PARTS_H
#define HP_ELF_PARTS_H

#include "elf_file.h"

#include <elf.h>

/** A part of the file; empty where what was looked for is not there. */
struct hp_part {
	const unsigned char *bytes;
	uint64_t size;
};

/** Read a part of the file, which lies inside it, unless it was read before. */
void hp_elf_fetch(const struct hp_elf *elf, uint64_t offset, uint64_t size);

/** Close the file: what was not read before is zeros. */
void hp_elf_let_go(struct hp_elf *elf);

/** Copy the nth of equal structs in a part; false when it is not inside. */
bool hp_part_nth(struct hp_part table, uint64_t nth, void *into, size_t size);

/** A part without what follows its last NUL, so that no string in it needs to be searched for its end. */
struct hp_part hp_part_strings(struct hp_part part);

/** The string at an offset of such a part; NULL when it is not inside. */
const char *hp_part_string(struct hp_part strings, uint64_t at);

/** EM_X86_64 or another. */
uint16_t hp_elf_machine(const struct hp_elf *elf);

/** What is loaded at an address, to the end of its segment. */
struct hp_part hp_elf_loaded_at(const struct hp_elf *elf, uint64_t address);

/** The nth section; false when there are not so many. */
bool hp_elf_section(const struct hp_elf *elf, uint64_t nth, Elf64_Shdr *section);

/** The strings in which sections have their names, at sh_name. */
struct hp_part hp_elf_section_names(const struct hp_elf *elf);

struct hp_part hp_elf_contents(const struct hp_elf *elf, const Elf64_Shdr *section);

#endif
