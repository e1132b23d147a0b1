/* SPDX-License-Identifier: MIT */
/* The functions of libdw and libelf, which are loaded when debug information is first opened. */
#ifndef HP_LIBDW_H
#define HP_LIBDW_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* clang-format off */
#define HP_LIBDW(FUNCTION) \
	FUNCTION(dwarf_attr) \
	FUNCTION(dwarf_attr_integrate) \
	FUNCTION(dwarf_begin_elf) \
	FUNCTION(dwarf_child) \
	FUNCTION(dwarf_cu_die) \
	FUNCTION(dwarf_decl_line) \
	FUNCTION(dwarf_diename) \
	FUNCTION(dwarf_dieoffset) \
	FUNCTION(dwarf_end) \
	FUNCTION(dwarf_entrypc) \
	FUNCTION(dwarf_filesrc) \
	FUNCTION(dwarf_formref_die) \
	FUNCTION(dwarf_formstring) \
	FUNCTION(dwarf_formudata) \
	FUNCTION(dwarf_get_units) \
	FUNCTION(dwarf_getfuncs) \
	FUNCTION(dwarf_getsrc_die) \
	FUNCTION(dwarf_getsrcfiles) \
	FUNCTION(dwarf_lineno) \
	FUNCTION(dwarf_linesrc) \
	FUNCTION(dwarf_ranges) \
	FUNCTION(dwarf_siblingof) \
	FUNCTION(dwarf_srclang) \
	FUNCTION(dwarf_tag) \
	FUNCTION(elf_begin) \
	FUNCTION(elf_end) \
	FUNCTION(elf_version)
/* clang-format on */

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name is that of a member. */
#define HP_LIBDW_POINTER(name) __typeof__(name) *name;
struct hp_libdw {
	HP_LIBDW(HP_LIBDW_POINTER)
};
#undef HP_LIBDW_POINTER

extern struct hp_libdw hp_libdw;

/** Load the library, the first time this is called; false when it is not there. */
bool hp_libdw_load(void);

/* From here on, the names mean the pointers. */
#ifndef HP_LIBDW_ITSELF
#define dwarf_attr hp_libdw.dwarf_attr
#define dwarf_attr_integrate hp_libdw.dwarf_attr_integrate
#define dwarf_begin_elf hp_libdw.dwarf_begin_elf
#define dwarf_child hp_libdw.dwarf_child
#define dwarf_cu_die hp_libdw.dwarf_cu_die
#define dwarf_decl_line hp_libdw.dwarf_decl_line
#define dwarf_diename hp_libdw.dwarf_diename
#define dwarf_dieoffset hp_libdw.dwarf_dieoffset
#define dwarf_end hp_libdw.dwarf_end
#define dwarf_entrypc hp_libdw.dwarf_entrypc
#define dwarf_filesrc hp_libdw.dwarf_filesrc
#define dwarf_formref_die hp_libdw.dwarf_formref_die
#define dwarf_formstring hp_libdw.dwarf_formstring
#define dwarf_formudata hp_libdw.dwarf_formudata
#define dwarf_get_units hp_libdw.dwarf_get_units
#define dwarf_getfuncs hp_libdw.dwarf_getfuncs
#define dwarf_getsrc_die hp_libdw.dwarf_getsrc_die
#define dwarf_getsrcfiles hp_libdw.dwarf_getsrcfiles
#define dwarf_lineno hp_libdw.dwarf_lineno
#define dwarf_linesrc hp_libdw.dwarf_linesrc
#define dwarf_ranges hp_libdw.dwarf_ranges
#define dwarf_siblingof hp_libdw.dwarf_siblingof
#define dwarf_srclang hp_libdw.dwarf_srclang
#define dwarf_tag hp_libdw.dwarf_tag
#define elf_begin hp_libdw.elf_begin
#define elf_end hp_libdw.elf_end
#define elf_version hp_libdw.elf_version
#endif

#endif
