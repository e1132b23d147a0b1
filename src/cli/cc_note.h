/* SPDX-License-Identifier: MIT */
/* Stores the rules for functions as an ELF note in the program; the recorder reads it at run time. */
#ifndef CC_NOTE_H
#define CC_NOTE_H

#include <limits.h>

/**
 * Write an assembler source, for any machine, that holds a text as a note of ours.
 *
 * @param path
 *         Becomes the path of the new file, which the caller removes.
 * @return
 *         0, or a negative errno.
 */
int cc_note_write(const char *text, char path[PATH_MAX]);

#endif
