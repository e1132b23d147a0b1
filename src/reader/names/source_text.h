/* SPDX-License-Identifier: MIT */
/* The text of source files, which is untrusted input: only regular files, of a limited size. */
#ifndef HP_SOURCE_TEXT_H
#define HP_SOURCE_TEXT_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_source_text {
	/** The path as it was asked for. */
	char *path;
	/** The file's lines, each followed by a NUL, and where each begins; no lines if there is no such file. */
	char *bytes;
	uint32_t *starts;
	uint32_t count;
	/** The file was modified after the program was built, so that lines may have moved. */
	bool is_newer;
};

/** The sources that were read so far. Begins as zeros. */
struct hp_sources {
	struct hp_source_text *items;
	size_t count;
	size_t room;
};

/**
 * Read a source, or find it among those that were read. If there is no file at its path, it is looked for in the current
 * folder: under the whole path, then without its first folder, and so on.
 *
 * @param path
 *         As recorded by the compiler, with the folder that it ran in.
 * @param program
 *         The program or library that was made of it, or NULL.
 * @return
 *         Valid until the next call. NULL if there is no such file, or memory ran out.
 */
const struct hp_source_text *hp_sources_find(struct hp_sources *sources, const char *path,
					     const char *program);

/**
 * Write a line with its tabs expanded to multiples of 8 columns. Characters that are not printable become '?'.
 *
 * @param width
 *         Longer lines are cut at this many characters, and end with "…" then.
 * @return
 *         False when the source has no such line.
 */
bool hp_source_put_line(const struct hp_source_text *source, uint32_t line, size_t width,
			struct hp_text *text);

void hp_sources_free(struct hp_sources *sources);

#endif
