/* SPDX-License-Identifier: MIT */
/* Finds files without symbols whose functions matter. */
#ifndef HP_STRIPPED_H
#define HP_STRIPPED_H

#include "model.h"

/**
 * Note every file in which functions without a name have a considerable part of the CPU time or bytes.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_note_stripped(struct hp_model *model);

#endif
