/* SPDX-License-Identifier: MIT */
/* Notes about files without symbols, if their functions matter. */
#ifndef HP_STRIPPED_H
#define HP_STRIPPED_H

#include "model.h"

/**
 * Add a note about a file without symbols, or without those of some functions, and how to get them.
 *
 * @param file
 *         Its name, without its folder.
 * @param some
 *         Some of its functions have a name.
 * @return
 *         False when memory ran out.
 */
bool hp_note_unnamed(struct hp_model *model, const char *file, bool some);

/**
 * Add this note for every file in which functions without a name have a considerable part of the CPU time or bytes.
 */
bool hp_note_stripped(struct hp_model *model);

#endif
