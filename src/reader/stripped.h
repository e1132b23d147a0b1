/* SPDX-License-Identifier: MIT */
/* Files whose functions have no names, where these would have told something. */
#ifndef HP_STRIPPED_H
#define HP_STRIPPED_H

#include "model.h"

/**
 * The sentence about a file without symbols, or without those of some functions, and how to get them.
 *
 * @param file
 *         Its name, without its folder.
 * @param some
 *         Some of its functions have a name.
 * @return
 *         False when memory ran out.
 */
bool hp_note_unnamed(struct hp_model *model, const char *file, bool some);

/** Say it of every file in which a considerable part of the CPU time, or of the bytes, belongs to functions without a name. */
bool hp_note_stripped(struct hp_model *model);

#endif
