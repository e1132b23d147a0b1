/* SPDX-License-Identifier: MIT */
/*
 * The page: a report, or a comparison, to look at in a browser.
 *
 *	index.html      where the parts below are put
 *	style.css       inline in a file, /page.css of a server
 *	*.js            modules, joined into one by the build; inline in a file, /page.js of a server
 *	data            JSON: what the sections of a report are; in a file also the report, or the comparison
 *
 * A file needs no network and asks for none: its policy allows its own script and style, by their hashes, and nothing else.
 */
#ifndef HP_PAGE_WRITE_H
#define HP_PAGE_WRITE_H

#include "json_writer.h"
#include "text.h"

struct hp_model;
struct hp_report_options;

/** The script and the style, as a server hands them out. */
extern const char *const hp_page_script;
extern const char *const hp_page_style;

/** Write the page without data, which asks its server for it. */
void hp_page_write_live(struct hp_text *text);

/**
 * Write a page with data in it, as one file.
 *
 * @param data
 *         A JSON object: of a report or of a comparison, told by its member "type".
 */
void hp_page_write_data(const struct hp_text *data, struct hp_text *text);

/**
 * Write a report as a page.
 *
 * @param options
 *         As for JSON; if they are at their defaults, all sections and all rows.
 * @param text
 *         Grows; out of memory is remembered there.
 */
void hp_page_write(const struct hp_model *model, const struct hp_report_options *options,
		   struct hp_text *text);

/**
 * Write a flame graph as one value: what it is of, its unit, its total and its tree. Frames of less than 0.05 % are left
 * out, and so are more than some thousands.
 *
 * @param what
 *         "cpu", "alloc", "live", "wait" or "tree".
 * @return
 *         False, and nothing is written, if there is no such graph, or nothing in it.
 */
bool hp_page_put_flame(const struct hp_model *model, const char *what, struct hp_json *json);

#endif
