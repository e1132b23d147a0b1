/* SPDX-License-Identifier: MIT */
/* Matches the rows of base and head. */
#ifndef HP_MATCH_H
#define HP_MATCH_H

#include "comparison.h"

/**
 * Make the sections of a comparison: their columns, their rows, and of each cell the values by run.
 *
 * Rows match if they have the same name, kind and file name, in any folder and line; then if their name occurs once
 * on each side, in any file; then, as renamed, if they are the only ones on both sides with these calls. Rows that
 * are equal in all of this, such as two blocks in one file, are told apart by the order of their lines.
 *
 * If a run recorded the subject but lacks the row, its figures are 0; or unknown, if they need the row or the report
 * was cut. If one side did not record a subject, it has no section.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_match(struct hp_comparison *comparison);

/** Whether a subject was selected for comparison; the program always is. */
bool hp_match_wants(const struct hp_compare_options *options, const struct hp_subject *subject);

#endif
