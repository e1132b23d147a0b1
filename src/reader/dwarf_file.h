/* SPDX-License-Identifier: MIT */
/* What the compiler wrote for debuggers, in a program or in the file that it was moved to. */
#ifndef HP_DWARF_FILE_H
#define HP_DWARF_FILE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct hp_dwarf_file {
	Dwarf *dwarf;
	Elf *elf;
	int descriptor;
};

/**
 * Open what there is for the program or library of a path. It stays open: to read one again costs little. At most so
 * many others may be opened as long as it is used as there are kept, which are eight.
 *
 * @return
 *         Whether there is something.
 */
bool hp_dwarf_open(struct hp_dwarf_file *file, const char *path);

/**
 * The file that an attribute names by its number, DW_AT_decl_file or DW_AT_call_file, of a function or of what
 * it is an instance of; NULL when there is none. It lives as long as the open file.
 */
const char *hp_dwarf_source(Dwarf_Die *die, unsigned attribute);

/** A path as the compiler of a unit was given it: the library puts the compiler's folder in front. */
const char *hp_dwarf_as_given(Dwarf_Die *unit, const char *path);

#endif
