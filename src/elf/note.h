/* SPDX-License-Identifier: MIT */
/* ELF notes in a program: an owner, a type, and data. */
#ifndef HP_NOTE_H
#define HP_NOTE_H

#include <stddef.h>
#include <stdint.h>

/** The owner of our own notes. */
#define HP_NOTE_OWNER "hotpath"

/** Their types. */
enum {
	/** Which functions are to be measured, a text. */
	HP_NOTE_SELECTION = 1,
	/** The program has the probe for allocations in it. */
	HP_NOTE_ALLOC = 2,
	/** That the probe of waits was linked in. */
	HP_NOTE_WAITS = 3,
};

/**
 * Find the first note of an owner and type.
 *
 * @param notes
 *         The bytes of a segment or section of notes, in a file or in memory; NULL when size is 0.
 * @param length
 *         How many bytes the note has.
 * @return
 *         Its bytes, or NULL.
 */
const void *hp_note_find(const void *notes, size_t size, const char *owner, uint32_t type,
			 size_t *length);

/** The build id that is among notes, and its length; NULL when there is none. */
const unsigned char *hp_note_build_id(const void *notes, size_t size, size_t *length);

#endif
