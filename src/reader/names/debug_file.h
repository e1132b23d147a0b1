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

/** Further places where the tool looks for debug files; both functions check nothing but the build id. */
struct hp_debug_source {
	/** Find a debug file that is on this machine. */
	bool (*find)(const unsigned char *id, size_t size, char found[HP_PATH_MAX]);
	/** Get a debug file from elsewhere, for the file at the path; may take long, and fail for good. */
	bool (*fetch)(const char *path, const unsigned char *id, size_t size,
		      char found[HP_PATH_MAX]);
};

/** NULL in programs that print their own report. */
extern const struct hp_debug_source *hp_debug_source;

/** Get the debug file of a program or library from elsewhere. Returns whether there is one; then it is to be closed. */
bool hp_debug_file_fetch(const struct hp_elf *elf, const char *path, struct hp_elf *debug);

/** The number of debug files got from elsewhere so far. If it grew, what was not found before may be found now. */
unsigned hp_debug_files_fetched(void);

#endif
