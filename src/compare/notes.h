/* SPDX-License-Identifier: MIT */
/* The kinds of notes that a comparison may have; each function adds those of its kind. They return 0, or -ENOMEM. */
#ifndef HP_NOTES_H
#define HP_NOTES_H

#include "comparison.h"

/** Base is 0, and head is 1. */
const struct hp_side *hp_notes_side(const struct hp_comparison *comparison, unsigned side);
const char *hp_notes_name(unsigned side);

/** What differs between runs: programs, machines, versions, what was recorded and how. */
int hp_note_traits(struct hp_comparison *comparison);
/**
 * Runs that did not end well, or were given twice; what they lost or could not find out, and the cost of measuring.
 */
int hp_note_runs(struct hp_comparison *comparison);
/** Sections, rows and percentiles that are not there. */
int hp_note_missing(struct hp_comparison *comparison);

#endif
