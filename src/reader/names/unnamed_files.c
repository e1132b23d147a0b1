/* SPDX-License-Identifier: MIT */
/*
 * Files whose functions are shown by address, and the one note that says what would help.
 *
 * The processes of a run lack the symbols of different files. So the files are kept, and the note is written anew with
 * each one that is added:
 *
 *	no symbols for functions of gzip, prog: they are shown by address; install gzip-dbgsym; build prog with -g …
 */
#include "unnamed_files.h"

#include "file_name.h"
#include "model.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* A saved report has the note and the files; the note is known by its beginning. */
static const char beginning[] = "no symbols for functions of ";

enum {
	/* Maximum number of files or packages that are named. */
	NAMED_MAX = 6,
	/* Maximum number of files that are kept: those of a damaged report could be any number. */
	FILES_MAX = 256,
};

char *(*hp_debug_package)(const char *path);

/* ---- the note ---- */

/* Whether a file belongs to the system, so that whoever measures it did not build it. */
static bool is_installed(const struct hp_unnamed_file *file)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/", "/sbin/" };

	if (strncmp(file->path, "/usr/local/", strlen("/usr/local/")) == 0)
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(file->path, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

static const char *name_of(const struct hp_unnamed_file *file)
{
	return hp_file_name(file->path);
}

static const char *name_if_own(const struct hp_unnamed_file *file)
{
	return file->package || is_installed(file) ? NULL : name_of(file);
}

static const char *name_if_unpackaged(const struct hp_unnamed_file *file)
{
	return !file->package && is_installed(file) ? name_of(file) : NULL;
}

static const char *package_of(const struct hp_unnamed_file *file)
{
	return file->package;
}

/* Whether a file before has the same name or package: two libraries may be of one package. */
static bool is_repeated(const struct hp_unnamed_files *files, size_t nth,
			const char *(*word_of)(const struct hp_unnamed_file *))
{
	for (size_t i = 0; i < nth; i++) {
		const char *word = word_of(&files->items[i]);
		if (word && strcmp(word, word_of(&files->items[nth])) == 0)
			return true;
	}
	return false;
}

/* Write a list of different words behind some others; returns their number, and writes nothing if there are none. */
static size_t put_words(struct hp_text *text, const char *before,
			const struct hp_unnamed_files *files,
			const char *(*word_of)(const struct hp_unnamed_file *))
{
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		const char *word = word_of(&files->items[i]);
		if (!word || is_repeated(files, i, word_of))
			continue;
		if (count++ < NAMED_MAX)
			hp_text_printf(text, "%s%s", count == 1 ? before : ", ", word);
	}
	if (count > NAMED_MAX)
		hp_text_printf(text, " and %zu more", count - NAMED_MAX);
	return count;
}

static void put_note(struct hp_text *text, const struct hp_unnamed_files *files)
{
	put_words(text, beginning, files, name_of);
	hp_text_puts(text, ": they are shown by address");
	size_t others = put_words(text, "; install ", files, package_of);
	if (put_words(text, "; install the debug symbols of ", files, name_if_unpackaged)) {
		hp_text_puts(text, " (package -dbgsym or -debuginfo)");
		others = 1;
	}
	/* The variable is for the tool, which is who knows packages. */
	if (others && hp_debug_package && !getenv("DEBUGINFOD_URLS"))
		hp_text_puts(text, ", or set DEBUGINFOD_URLS");
	size_t own = put_words(text, "; build ", files, name_if_own);
	const char *these = own == 1 ? "it" : "them";
	if (own)
		hp_text_printf(text, " with -g and do not strip %s, or link %s with -rdynamic",
			       these, these);
}

static bool renew_note(struct hp_model *model)
{
	struct hp_unnamed_files *files = &model->unnamed;
	struct hp_text text = HP_TEXT_INIT;
	bool done = true;

	put_note(&text, files);
	char *copy = text.failed ? NULL : strdup(text.bytes);
	hp_text_free(&text);
	if (copy && files->note) {
		free(model->notes[files->note - 1]);
		model->notes[files->note - 1] = copy;
		return true;
	}
	done = copy && hp_model_note(model, "%s", copy);
	files->note = done ? model->note_count : 0;
	free(copy);
	return done;
}

/* ---- the files ---- */

static bool is_known(const struct hp_unnamed_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->items[i].path, path) == 0)
			return true;
	return false;
}

bool hp_unnamed_append(struct hp_unnamed_files *files, const char *path, const char *package)
{
	if (files->count == FILES_MAX)
		return true;
	struct hp_unnamed_file *items = reallocarray(files->items, files->count + 1,
						     sizeof(*items));
	if (!items)
		return false;

	files->items = items;
	struct hp_unnamed_file *file = &items[files->count++];
	*file = (struct hp_unnamed_file){ strdup(path), package ? strdup(package) : NULL };
	if (file->path && (file->package || !package))
		return true;
	free(file->path);
	free(file->package);
	files->count--;
	return false;
}

bool hp_unnamed_add(struct hp_model *model, const char *path)
{
	struct hp_unnamed_file file = { (char *)(uintptr_t)path, NULL };
	if (is_known(&model->unnamed, path))
		return true;

	if (hp_debug_package && is_installed(&file))
		file.package = hp_debug_package(path);
	bool done = hp_unnamed_append(&model->unnamed, path, file.package) && renew_note(model);
	free(file.package);
	return done;
}

bool hp_unnamed_merge(struct hp_model *into, const struct hp_model *from)
{
	size_t before = into->unnamed.count;

	for (size_t i = 0; i < from->unnamed.count; i++) {
		const struct hp_unnamed_file *file = &from->unnamed.items[i];
		if (!is_known(&into->unnamed, file->path) &&
		    !hp_unnamed_append(&into->unnamed, file->path, file->package))
			return false;
	}
	return into->unnamed.count == before || renew_note(into);
}

void hp_unnamed_find_note(struct hp_model *model)
{
	for (size_t i = 0; i < model->note_count && model->unnamed.count; i++)
		if (strncmp(model->notes[i], beginning, strlen(beginning)) == 0)
			model->unnamed.note = i + 1;
}

void hp_unnamed_free(struct hp_unnamed_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->items[i].path);
		free(files->items[i].package);
	}
	free(files->items);
	*files = (struct hp_unnamed_files){ .items = NULL };
}
