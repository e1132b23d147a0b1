/* SPDX-License-Identifier: MIT */
/*
 * Notes on what else differs between the two sides, which readers of a comparison must know.
 *
 * Functions here return 0, or -ENOMEM.
 */
#ifndef HP_NOTES_H
#define HP_NOTES_H

#include "comparison.h"

/**
 * Note what differs between runs: programs, arguments, machines, options, versions, how they ended; sections that one
 * side lacks, reports that are cut, percentiles that are not there, and rows that were renamed.
 */
int hp_notes_collect(struct hp_comparison *comparison);

/** Add a sentence to the notes, unless it is there. */
int hp_notes_add(struct hp_comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Base is 0, and head is 1. */
const struct hp_side *hp_notes_side(const struct hp_comparison *comparison, unsigned side);
const char *hp_notes_name(unsigned side);

/* ---- the kinds of notes; each function adds those of its kind ---- */

/** What differs between runs: programs, machines, versions, what was recorded and how. */
int hp_note_traits(struct hp_comparison *comparison);
/**
 * Runs that did not end well, or were given twice; what they lost or could not find out, and the cost of measuring.
 */
int hp_note_runs(struct hp_comparison *comparison);
/** Sections, rows and percentiles that are not there. */
int hp_note_missing(struct hp_comparison *comparison);
/** Windows of a running program: a load that has changed, and figures that depend on it. */
int hp_note_windows(struct hp_comparison *comparison);

#endif
