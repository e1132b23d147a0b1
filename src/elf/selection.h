/* SPDX-License-Identifier: MIT */
/*
 * Which functions of a program are to be measured, as `hotpath cc` wrote it into a note of the program.
 *
 *	only parse_*
 *	skip parse_char
 *	min-size 64
 *
 * Nothing here allocates or locks. The text is untrusted: unknown lines are ignored.
 */
#ifndef HP_SELECTION_H
#define HP_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hp_selection_kind {
	HP_SELECTION_ONLY,
	HP_SELECTION_SKIP,
	HP_SELECTION_MIN_SIZE,
};

/** One line: a pattern, or a number. */
struct hp_selection_line {
	enum hp_selection_kind kind;
	const char *pattern;
	size_t length;
	uint64_t size;
};

/**
 * Whether a function is measured: it matches an `only`, if there is any, no `skip`, and is not smaller than any
 * `min-size`.
 *
 * @param text
 *         What hp_selection_note found.
 * @param size
 *         0 when not known; then it is large enough.
 */
bool hp_selection_has(const char *text, const char *name, uint64_t size);

/** Read the next line, and move past it; false when there is none. */
bool hp_selection_next(const char **text, struct hp_selection_line *line);

/**
 * Whether a whole name matches a pattern: `*` is any text, `?` any character, `[a-z]` one of several,
 * `[!a-z]` none of them; a backslash takes the next character for what it is.
 */
bool hp_selection_matches(const char *pattern, size_t length, const char *name);

/**
 * Find the selection among the notes of a program.
 *
 * @param notes
 *         The bytes of a segment of notes, in a file or in memory.
 * @return
 *         The text, with its length, behind which is a NUL; NULL when there is none.
 */
const char *hp_selection_note(const void *notes, size_t size, size_t *length);

#endif
