/* SPDX-License-Identifier: MIT */
/* Files whose functions are shown by address, and the one note that says what would help. */
#ifndef HP_UNNAMED_FILES_H
#define HP_UNNAMED_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct hp_model;

struct hp_unnamed_file {
	char *path;
	/** The package that has its debug symbols; NULL if none is known. */
	char *package;
};

struct hp_unnamed_files {
	struct hp_unnamed_file *items;
	size_t count;
	/** The number of the model's note about these files, counted from 1; 0 for none. */
	size_t note;
};

/**
 * Finds the package with the debug symbols of a file of the system; NULL where nobody knows, as in programs that
 * print their own report. The string is to be freed.
 */
extern char *(*hp_debug_package)(const char *path);

/**
 * Add a file, unless it is known, and write the note anew.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_unnamed_add(struct hp_model *model, const char *path);

/** Add the files of another model. */
bool hp_unnamed_merge(struct hp_model *into, const struct hp_model *from);

/** Append a file that a saved report names; the strings are copied, and the note is not touched. */
bool hp_unnamed_append(struct hp_unnamed_files *files, const char *path, const char *package);

/** Find the note about them among those of a saved report. */
void hp_unnamed_find_note(struct hp_model *model);

void hp_unnamed_free(struct hp_unnamed_files *files);

#endif
