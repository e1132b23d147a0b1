/* SPDX-License-Identifier: MIT */
/* Access to the DWARF debug information of a program, in its file or its separate debug file. */
#ifndef HP_DWARF_FILE_H
#define HP_DWARF_FILE_H

#include "libdw.h"

#include <stdbool.h>

struct hp_dwarf_file {
	Dwarf *dwarf;
	Elf *elf;
	int descriptor;
};

/**
 * Open the debug information of a program or library. It stays open in a cache of eight, so opening it again is
 * cheap; while it is in use, at most eight others may be opened.
 *
 * @return
 *         Whether there is something.
 */
bool hp_dwarf_open(struct hp_dwarf_file *file, const char *path);

/**
 * The source file that the attribute DW_AT_decl_file or DW_AT_call_file refers to, for a function or its abstract
 * instance; NULL if there is none. The string lives as long as the open file.
 */
const char *hp_dwarf_source(Dwarf_Die *die, unsigned attribute);

/** The path of a source with the folder that the compiler ran in. From malloc; NULL when memory ran out. */
char *hp_dwarf_whole_path(Dwarf_Die *unit, const char *path);

/** The path of a source as it was passed to the compiler: libdw puts the compilation folder in front of it. */
const char *hp_dwarf_as_given(Dwarf_Die *unit, const char *path);

#endif
