/* SPDX-License-Identifier: MIT */
/* Comparisons that are made by hand, with three sections: the whole program, functions, and channels. */
#ifndef MADE_ROWS_H
#define MADE_ROWS_H

#include "comparison.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum made_program_column { MADE_ELAPSED, MADE_PROGRAM_COUNT };

/* Of functions. */
enum made_column { MADE_CALLS, MADE_SELF, MADE_P95, MADE_COUNT, MADE_PEAK, MADE_GAUGE };

/* Of channels, of which no figure decides. */
enum made_channel_column { MADE_SENT, MADE_LONGEST };

static const struct hp_metric made_program_metrics[] = {
	{ .name = "elapsed",
	  .header = "Elapsed",
	  .kind = HP_COMPARED_TIME,
	  .unit = HP_UNIT_NS,
	  .decides = true },
	{ .name = "program_alloc_count",
	  .header = "Allocations",
	  .kind = HP_COMPARED_EXACT,
	  .is_alloc = true },
	{ .name = NULL },
};

static const struct hp_metric made_metrics[] = {
	{ .name = "calls", .header = "Calls", .kind = HP_COMPARED_EXACT },
	{ .name = "self",
	  .header = "Self",
	  .kind = HP_COMPARED_TIME,
	  .unit = HP_UNIT_NS,
	  .decides = true },
	{ .name = "p95", .header = "P95", .kind = HP_COMPARED_TIME, .unit = HP_UNIT_NS },
	{ .name = "alloc_count", .header = "Count", .kind = HP_COMPARED_EXACT, .is_alloc = true },
	{ .name = "peak", .header = "Peak", .kind = HP_COMPARED_LEVEL, .unit = HP_UNIT_BYTES },
	{ .name = "gauge",
	  .header = "Gauge",
	  .kind = HP_COMPARED_LEVEL,
	  .unit = HP_UNIT_NUMBER,
	  .is_neutral = true },
	{ .name = NULL },
};

static const struct hp_metric made_channel_metrics[] = {
	{ .name = "sent", .header = "Sent", .kind = HP_COMPARED_EXACT },
	{ .name = "longest", .header = "Longest", .kind = HP_COMPARED_LEVEL },
	{ .name = NULL },
};

static const struct hp_subject made_subjects[] = {
	{ .name = "program", .noun = "program", .metrics = made_program_metrics },
	{ .name = "timing", .noun = "function", .metrics = made_metrics },
	{ .name = "channels", .noun = "channel", .metrics = made_channel_metrics },
};

static inline void made_section(struct hp_compared_section *section,
				const struct hp_subject *subject)
{
	const struct hp_metric *metrics = subject->metrics;

	section->subject = subject;
	while (metrics[section->column_count].name)
		section->column_count++;
	section->columns = calloc(section->column_count, sizeof(*section->columns));
	assert_non_null(section->columns);
	for (size_t i = 0; i < section->column_count; i++) {
		section->columns[i].metric = &metrics[i];
		strcpy(section->columns[i].name, metrics[i].name);
		strcpy(section->columns[i].header, metrics[i].header);
	}
}

static inline double *made_values(size_t count, double value)
{
	double *values = calloc(count, sizeof(*values));

	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
		values[i] = value;
	return values;
}

/** Append a row, of which nothing is known. It is where it is until the next one is added. */
static inline struct hp_compared_row *made_row(struct hp_comparison *comparison, size_t section_at,
					       const char *name, double share)
{
	struct hp_compared_section *section = &comparison->sections[section_at];

	section->rows = reallocarray(section->rows, section->row_count + 1, sizeof(*section->rows));
	assert_non_null(section->rows);
	struct hp_compared_row *row = &section->rows[section->row_count++];
	*row = (struct hp_compared_row){ .name = strdup(name), .share = share };
	row->cells = calloc(section->column_count, sizeof(*row->cells));
	assert_non_null(row->cells);
	for (size_t i = 0; i < section->column_count; i++) {
		row->cells[i].before = made_values(comparison->base.count, NAN);
		row->cells[i].after = made_values(comparison->head.count, NAN);
	}
	return row;
}

/** The same in all runs of a side. */
static inline void made_stable(const struct hp_comparison *comparison, struct hp_compared_row *row,
			       size_t column, double before, double after)
{
	for (size_t i = 0; i < comparison->base.count; i++)
		row->cells[column].before[i] = before;
	for (size_t i = 0; i < comparison->head.count; i++)
		row->cells[column].after[i] = after;
}

/** A time that differs from run to run, by a share, up and down. */
static inline void made_time(const struct hp_comparison *comparison, struct hp_compared_row *row,
			     size_t column, double before, double after, double noise)
{
	made_stable(comparison, row, column, before, after);
	for (size_t i = 0; i < comparison->base.count; i++)
		row->cells[column].before[i] *= 1 + noise * ((double)(i * 7 % 10) / 4.5 - 1);
	for (size_t i = 0; i < comparison->head.count; i++)
		row->cells[column].after[i] *= 1 + noise * ((double)(i * 3 % 10) / 4.5 - 1);
}

/** A comparison of so many runs of each side, with defaults; the program takes as long as before. */
static inline struct hp_comparison made_comparison(size_t runs)
{
	struct hp_comparison comparison = { .section_count = 3 };

	hp_compare_options_init(&comparison.options);
	for (size_t i = 0; i < runs; i++)
		assert_true(hp_side_append(&comparison.base, (struct hp_run){ 0 }) &&
			    hp_side_append(&comparison.head, (struct hp_run){ 0 }));
	comparison.sections = calloc(comparison.section_count, sizeof(*comparison.sections));
	assert_non_null(comparison.sections);
	for (size_t i = 0; i < comparison.section_count; i++)
		made_section(&comparison.sections[i], &made_subjects[i]);
	made_time(&comparison, made_row(&comparison, 0, "program", -1), MADE_ELAPSED, 1e9, 1e9,
		  0.01);
	return comparison;
}

/** The row of functions, or channels, with a name. */
static inline struct hp_compared_row *made_find(const struct hp_comparison *comparison,
						const char *name)
{
	for (size_t i = 0; i < comparison->section_count; i++)
		for (size_t j = 0; j < comparison->sections[i].row_count; j++)
			if (strcmp(comparison->sections[i].rows[j].name, name) == 0)
				return &comparison->sections[i].rows[j];
	fail_msg("there is no row %s", name);
	return NULL;
}

#endif
