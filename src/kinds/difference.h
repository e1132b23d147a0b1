/* SPDX-License-Identifier: MIT */
/*
 * Differences of rows: what happened between two reads of one program.
 *
 * Counts are subtracted, histograms bucket by bucket. Levels (hp_field.is_level), states, values and what is a maximum of
 * something else than times stay those of the later read: nobody knows what they were in between.
 */
#ifndef HP_DIFFERENCE_H
#define HP_DIFFERENCE_H

#include "entry.h"
#include "function.h"
#include "thread_list.h"

/** Take the counts and histograms of an earlier row out of a later one, by the fields. */
void hp_row_subtract(const struct hp_field *fields, void *row, const void *earlier);

/**
 * Take the earlier row out of a later one, as the next ones do, too.
 *
 * The minimum and the maximum of what is left are exact if the later row has set a new one; or else those of the
 * histogram, within 1 %.
 */
void hp_function_subtract(struct hp_function *function, const struct hp_function *earlier);
void hp_entry_subtract(struct hp_entry *entry, const struct hp_entry *earlier);

/** Take an earlier histogram of times out of a later one. */
void hp_times_subtract(struct hp_points *times, const struct hp_points *earlier);

/** Threads that have ended meanwhile are found in the sum that they were added to. */
void hp_threads_subtract(struct hp_threads *threads, const struct hp_threads *earlier);

/** Whether a row says nothing: it has no count, no level, no times and no value. */
bool hp_entry_is_idle(const struct hp_entry *entry);

#endif
