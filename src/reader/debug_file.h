/* SPDX-License-Identifier: MIT */
/* Where the symbols of a stripped program went. */
#ifndef HP_DEBUG_FILE_H
#define HP_DEBUG_FILE_H

#include "elf_file.h"
#include "place.h"

/**
 * Open the file that symbols and lines of another were moved to: the one that the system keeps by build id,
 * or the one that the file names, beside it or in the system's folder. It is the right one when it has the
 * same build id or, without any, the sum that the file knows of it.
 *
 * @param path
 *         Of the file.
 * @param found
 *         The path of what was found.
 * @return
 *         Whether there is one. Then it is to be closed.
 */
bool hp_debug_file_open(const struct hp_elf *elf, const char *path, struct hp_elf *debug,
			char found[HP_PATH_MAX]);

#endif
