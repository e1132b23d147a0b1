/* SPDX-License-Identifier: MIT */
/* Collects the notes of a comparison. */
#include "notes.h"

#include "format.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Renamed functions that get a note of their own. */
	RENAMED_MAX = 10,
};

const struct hp_side *hp_notes_side(const struct hp_comparison *comparison, unsigned side)
{
	return side == 0 ? &comparison->base : &comparison->head;
}

const char *hp_notes_name(unsigned side)
{
	return side == 0 ? "base" : "head";
}

/* ---- notes ---- */

static bool has_note(const struct hp_comparison *comparison, const char *sentence)
{
	for (size_t i = 0; i < comparison->note_count; i++)
		if (strcmp(comparison->notes[i], sentence) == 0)
			return true;
	return false;
}

/* Append a sentence; the comparison takes ownership. */
static int append(struct hp_comparison *comparison, char *sentence)
{
	char **notes = reallocarray(comparison->notes, comparison->note_count + 1, sizeof(*notes));

	if (!notes) {
		free(sentence);
		return -ENOMEM;
	}
	comparison->notes = notes;
	notes[comparison->note_count++] = sentence;
	return 0;
}

/* Names in the sentence are untrusted, so it is made printable. */
int hp_notes_add(struct hp_comparison *comparison, const char *format, ...)
{
	struct hp_text text = HP_TEXT_INIT;
	char *sentence;
	va_list arguments;

	va_start(arguments, format);
	int length = vasprintf(&sentence, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	hp_text_puts(&text, "");
	hp_text_put_printable(&text, sentence);
	free(sentence);
	if (text.failed || has_note(comparison, text.bytes)) {
		int failed = text.failed ? -ENOMEM : 0;
		hp_text_free(&text);
		return failed;
	}
	return append(comparison, text.bytes);
}

/* ---- what was renamed ---- */

/* The first exact figure: the calls, where they are known. */
static double calls_of(const struct hp_compared_section *section, const struct hp_compared_row *row)
{
	if (section->subject != &hp_subject_timing)
		return 0;
	for (size_t i = 0; i < section->column_count; i++)
		if (section->columns[i].metric->kind == HP_COMPARED_EXACT)
			return row->cells[i].after[0];
	return 0;
}

static int note_row(struct hp_comparison *comparison, const struct hp_compared_section *section,
		    const struct hp_compared_row *row)
{
	double calls = calls_of(section, row);

	if (!(calls > 0))
		return hp_notes_add(comparison,
				    "%.100s is gone and %.100s is new: taken as renamed",
				    row->old_name, row->name);
	return hp_notes_add(comparison,
			    "%.100s is gone and %.100s is new, with the same %s call%s: taken "
			    "as renamed",
			    row->old_name, row->name, hp_format_count((uint64_t)calls).text,
			    calls == 1 ? "" : "s");
}

/* The first section about functions, which lists those that were renamed. */
static const struct hp_compared_section *function_section(const struct hp_comparison *comparison)
{
	const struct hp_subject *const subjects[] = { &hp_subject_timing, &hp_subject_alloc,
						      &hp_subject_cpu };

	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		for (size_t j = 0; j < comparison->section_count; j++)
			if (comparison->sections[j].subject == subjects[i])
				return &comparison->sections[j];
	return NULL;
}

static int note_renamed(struct hp_comparison *comparison)
{
	const struct hp_compared_section *section = function_section(comparison);
	size_t count = 0;
	int failed = 0;

	for (size_t i = 0; section && i < section->row_count && !failed; i++)
		if (section->rows[i].presence == HP_RENAMED && count++ < RENAMED_MAX)
			failed = note_row(comparison, section, &section->rows[i]);
	if (!failed && count > RENAMED_MAX)
		failed = hp_notes_add(comparison, "%zu more functions are taken as renamed",
				      count - RENAMED_MAX);
	return failed;
}

int hp_notes_collect(struct hp_comparison *comparison)
{
	static int (*const kinds[])(struct hp_comparison *) = {
		hp_note_traits, hp_note_runs, hp_note_missing, hp_note_windows, note_renamed,
	};
	int failed = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !failed; i++)
		failed = kinds[i](comparison);
	return failed;
}
