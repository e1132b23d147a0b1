/* SPDX-License-Identifier: MIT */
/* Finds the separate debug file of a stripped program. */
#ifndef HP_DEBUG_FILE_H
#define HP_DEBUG_FILE_H

#include "elf_file.h"
#include "place.h"

/**
 * Open the debug file of a program or library: the one that the system keeps by build id, or the one that
 * .gnu_debuglink names, next to the file or in the system's folder. It matches if it has the same build id or,
 * without one, the CRC in the link.
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
