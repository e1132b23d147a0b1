/* SPDX-License-Identifier: MIT */
/* Writes a comparison as text. A format is a file that ends with a writer, and a line in the table of formats. */
#ifndef HP_COMPARE_WRITE_H
#define HP_COMPARE_WRITE_H

#include "comparison.h"
#include "text.h"

struct hp_compare_style {
	/** Of the terminal; 0 for any. */
	size_t width;
	bool colour;
	/**
	 * The name of the benchmark; NULL for none. In markdown there is always a hidden line, with the name, by
	 * which a comment is found again.
	 */
	const char *id;
};

struct hp_compare_format {
	/** As in --format. */
	const char *name;
	void (*write)(const struct hp_comparison *comparison, const struct hp_compare_style *style,
		      struct hp_text *text);
};

extern const struct hp_compare_format hp_compare_table;
extern const struct hp_compare_format hp_compare_markdown;
extern const struct hp_compare_format hp_compare_json;
extern const struct hp_compare_format hp_compare_json_pretty;

/** All of them, the default first; ends with NULL. */
extern const struct hp_compare_format *const hp_compare_formats[];

/** NULL when there is none of this name. */
const struct hp_compare_format *hp_compare_format_find(const char *name);

#endif
