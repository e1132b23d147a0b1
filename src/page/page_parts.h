/* SPDX-License-Identifier: MIT */
/* What the sources of the page share. */
#ifndef HP_PAGE_PARTS_H
#define HP_PAGE_PARTS_H

#include "page_write.h"

/** Write the member "flames": all flame graphs of a model, without those that have nothing. */
void hp_page_put_flames(const struct hp_model *model, struct hp_json *json);

/** Write what the sections of a report are: for each its key, name, title, sentence, tab, and how to get rows. */
void hp_page_put_sections(struct hp_json *json);

/**
 * Write JSON as the content of a script element that is data: escaped, or compressed and in base64 if it is large.
 *
 * @param id
 *         The id of the element.
 */
void hp_page_put_data(const char *id, const struct hp_text *json, struct hp_text *text);

#endif
