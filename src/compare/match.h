/* SPDX-License-Identifier: MIT */
/* Which row of base is which row of head. */
#ifndef HP_MATCH_H
#define HP_MATCH_H

#include "comparison.h"

/**
 * Make the sections of a comparison: their columns, their rows, and of each cell the values by run.
 *
 * Rows are the same that have the same name, kind and file, wherever its folder and line are; then those whose name
 * is on both sides once, whatever the file; then, renamed, those that are alone on both sides with the same calls. What
 * is the same in all of it, such as two blocks in one file, is told apart by the order of lines.
 *
 * In a run that recorded the subject and lacks the row its figures are 0, but not known if they need it or the report
 * is cut. What one side did not record has no section.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_match(struct hp_comparison *comparison);

/** Whether a subject is to be compared, as far as both sides recorded it: the program always is. */
bool hp_match_wants(const struct hp_compare_options *options, const struct hp_subject *subject);

#endif
