/* SPDX-License-Identifier: MIT */
/*
 * Common parts of all files with sleds: the sections that list their sleds, and what tells libhotpath of these.
 *
 *	code ──► its list of entries ──► the five sections of its file
 *	     ──► its list of exits
 *
 * An arrow is a relocation, which by itself changes nothing, and by which linkers know that the one needs the other. So a
 * list is kept, or dropped by --gc-sections, with its code. Symbols like __start_NAME would have GNU ld and gold keep all
 * lists, and by them all code. The bounds of a list are found by its neighbours instead:
 *
 *	1   2 entries   3   4 exits   5
 *
 * Linkers put sections into the order in which their names first appear, or into that of the names. Each file declares all
 * five in order, before its lists. The file that is read first has the neighbours, in a group of which the linker keeps
 * one; but code that gcc makes when it links (-flto) may be put before that, and needs the second arrow.
 */
#ifndef HP_MODULE_H
#define HP_MODULE_H

#include "machine.h"
#include "text.h"

/* Names that nobody else has by chance, and that are no names of variables: for these, linkers would make __start_NAME. */
#define HP_LISTS ".hotpath.sleds."
#define HP_ENTRIES HP_LISTS "2.entries"
#define HP_EXITS HP_LISTS "4.exits"

/** The label that lists of entries refer to, in such code. */
#define HP_DECLARED ".Lhotpath_at0"

/** Declare the sections, as a part of a line, before anything is put into them. */
void hp_module_declare(struct hp_text *text);

/** Write a constructor and a destructor that tell libhotpath of the lists. All files have this, and the linker keeps one of
    them. */
void hp_module_write(struct hp_text *text, const struct machine *machine);

#endif
