/* SPDX-License-Identifier: MIT */
/*
 * A section of a report: what it is called, when it is shown, and how it is written.
 *
 * Most sections are tables of a kind (kind.h), which describes them. What is special about one is a constant at the end of a
 * file: it has the kind, and functions that take the place of what the kind says. The few sections of no kind are such a
 * constant, and a line in the table of sections.
 */
#ifndef HP_SECTION_H
#define HP_SECTION_H

#include "grid.h"
#include "json_writer.h"
#include "kind.h"
#include "model.h"
#include "report_options.h"
#include "text.h"

/** The pane of the console that shows a section; a tab of NULL if there is none. */
struct hp_pane {
	const char *tab;
	/** Name of the pane in the tab; NULL if the tab has no other. */
	const char *name;
	/** Hint on how to get rows. */
	const char *how;
};

struct hp_section {
	/** Name in HOTPATH_REPORT. */
	const char *name;
	/** Noun for a row; NULL for that of its kind, or for "function". */
	const char *noun;
	/** Other names of the section, with commas; NULL for none. Several sections may have one in common: then it
	    adds those that the options prefer; NULL for always. */
	const char *aliases;
	bool (*is_preferred)(const struct hp_section *section,
			     const struct hp_report_options *options);
	/** Key in JSON. If several sections have the same, the first that is shown writes it. */
	const char *json_key;
	/** The sentence after the section's title, which says what the rows are; NULL for that of its kind. */
	const char *sentence;
	/** Whether the section shows exclusive figures; NULL if there is no choice. */
	bool (*is_exclusive)(const struct hp_report_options *options);
	/** If the section is of no kind: the kind whose limit it has, or NULL. */
	const struct hp_kind *limited_as;
	/** Position in the report: the lowest comes first. */
	int order;
	/** Which of the tables of its kind the section shows. */
	unsigned table;
	struct hp_pane pane;
	/** The kind that the section shows; NULL if it is not one. */
	const struct hp_kind *kind;
	/** Whether "auto" shows the section, if it is preferred; and whether "all" does, NULL when it always does. */
	bool (*is_automatic)(const struct hp_model *model, const struct hp_report_options *options);
	bool (*is_available)(const struct hp_model *model);
	/** Makes the rows and columns. Returns false when memory ran out; either way, the grid is to be
	    closed. NULL for those of its kind. */
	bool (*open_grid)(const struct hp_section *section, struct hp_grid *grid,
			  const struct hp_model *model, const struct hp_report_options *options);
	/** The lines above the grid; returns false when they stand in its place. NULL for none. */
	bool (*write_notes)(const struct hp_section *section, const struct hp_model *model,
			    const struct hp_report_options *options, struct hp_text *text);
	/** Writes the whole section, if it is no grid; NULL otherwise. */
	void (*write_table)(const struct hp_section *section, const struct hp_model *model,
			    const struct hp_report_options *options, struct hp_text *text);
	/** Why there is nothing to show, whatever is in focus, as in nothing.h; NULL when the noun and hint say it. */
	bool (*why_nothing)(const struct hp_model *model, struct hp_text *text);
	/** Hint on how to get a row with that noun. */
	const char *hint;
	/** Kinds only: whether a row is shown, in a table or in JSON; NULL for all. */
	bool (*has_row)(const void *row, const struct hp_report_options *options, bool in_table);
	/** Kinds only: whether the kind was recorded, or JSON has null; NULL for always. */
	bool (*is_recorded)(const struct hp_model *model);
	/** Kinds only: writes the members before the rows; NULL for the percentiles. */
	void (*write_head)(const struct hp_model *model, struct hp_json *json);
	/**
	 * Kinds only: more members of each row in JSON. `open_more` prepares them, and returns NULL if there are none;
	 * `close_more` frees that. All three are NULL for none.
	 */
	void *(*open_more)(const struct hp_model *model, const struct hp_report_options *options,
			   struct hp_text *text);
	void (*write_more)(const void *more, const struct hp_report_options *options,
			   const void *row, struct hp_json *json);
	void (*close_more)(void *more);
	/** Kinds only: writes the lines below the first rows of the table; NULL for none. */
	void (*write_below)(const struct hp_grid *grid, size_t shown,
			    const struct hp_report_options *options, struct hp_text *text);
	/** Writes one value; NULL for the rows of its kind. */
	void (*write_json)(const struct hp_section *section, const struct hp_model *model,
			   const struct hp_report_options *options, struct hp_json *json);
	/** Writes more members of the report, beside its own; NULL for none. */
	void (*write_members)(const struct hp_model *model, struct hp_json *json);
};

extern const struct hp_section hp_section_bottlenecks;
extern const struct hp_section hp_section_metadata;

/** Special parts of sections of kinds. */
extern const struct hp_section hp_section_special_timing;
extern const struct hp_section hp_section_special_tree;
extern const struct hp_section hp_section_special_alloc;
extern const struct hp_section hp_section_special_cpu;
extern const struct hp_section hp_section_special_io;
extern const struct hp_section hp_section_special_live;
extern const struct hp_section hp_section_special_threads;
extern const struct hp_section hp_section_special_blocked;

/** All sections, in the order of the report; ends with NULL. */
extern const struct hp_section *const *const hp_sections;

/** The section with a name; NULL when there is none. */
const struct hp_section *hp_section_find(const char *name);

/** The sentence after the title of a section. */
const char *hp_section_sentence(const struct hp_section *section,
				const struct hp_report_options *options);

/** Whether a model has anything for a section. */
bool hp_section_is_available(const struct hp_section *section, const struct hp_model *model);

/** Whether the options prefer a section to another one with the same alias. */
bool hp_section_is_preferred(const struct hp_section *section,
			     const struct hp_report_options *options);

/** Whether the table of a section is a grid; and make that, as in struct hp_section. */
bool hp_section_has_grid(const struct hp_section *section);
bool hp_section_open_grid(const struct hp_section *section, struct hp_grid *grid,
			  const struct hp_model *model, const struct hp_report_options *options);

/** Write the value of a section in JSON. */
void hp_section_write_json(const struct hp_section *section, const struct hp_model *model,
			   const struct hp_report_options *options, struct hp_json *json);

/** Whether the options choose a section; the model may be NULL if they do not say "all" or "auto". */
bool hp_section_is_chosen(const struct hp_section *section, const struct hp_report_options *options,
			  const struct hp_model *model);

/** Whether the options choose a section by name. */
bool hp_section_is_named(const struct hp_section *section, const struct hp_report_options *options);

/** Whether a section has no data although it was asked for, and why. */
bool hp_section_is_nothing(const struct hp_section *section, const struct hp_model *model,
			   struct hp_text *why);

/** The number of rows that a section shows, of `rows`. */
size_t hp_section_limit(const struct hp_section *section, const struct hp_report_options *options,
			size_t rows);

/** The number of rows in JSON, which are all unless somebody has said how many: programs get everything. */
size_t hp_section_json_limit(const struct hp_section *section,
			     const struct hp_report_options *options, size_t rows);

/** Whether allocations were recorded; and whether somebody asked for them, whatever became of that. */
bool hp_section_has_memory(const struct hp_model *model);
bool hp_section_wants_memory(const struct hp_model *model);

/** Whether CPU time was to be sampled. */
bool hp_section_has_cpu(const struct hp_model *model);

/** The line in place of a section's rows when there are none, or the focus and what is excluded leave none. */
void hp_section_no_match(const struct hp_section *section, const struct hp_report_options *options,
			 struct hp_text *text);

/** The line above a section: its name and sentence, and how many rows are shown if not all. */
void hp_section_title(const struct hp_section *section, const struct hp_report_options *options,
		      size_t shown, size_t rows, struct hp_text *text);

#endif
