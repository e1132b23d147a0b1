/* SPDX-License-Identifier: MIT */
/* The threads that are shown: all that run, and as many as the limit says of those that have ended. */
#ifndef HP_THREAD_ROWS_H
#define HP_THREAD_ROWS_H

#include "section.h"

struct hp_thread_row {
	const struct hp_thread *thread;
	/** What it is sorted by. */
	double key;
};

/** To be freed with hp_thread_rows_free. */
struct hp_thread_rows {
	/** The columns that are shown, by their place in the table of them. */
	uint8_t columns[HP_TABLE_COLUMNS_MAX];
	/** Those that run first; then who computed most, or allocated most. */
	struct hp_thread_row *items;
	size_t shown;
	size_t count;
	/** All that have ended and are not shown. */
	struct hp_thread rest;
};

typedef size_t hp_limit(const struct hp_section *section, const struct hp_report_options *options,
			size_t rows);

/** Choose them; returns false when memory ran out. */
bool hp_thread_rows_choose(struct hp_thread_rows *rows, const struct hp_model *model,
			   const struct hp_report_options *options, hp_limit *limit);

void hp_thread_rows_free(struct hp_thread_rows *rows);

/** The threads as rows and columns, as in struct hp_section. */
bool hp_thread_grid_open(struct hp_grid *grid, const struct hp_model *model,
			 const struct hp_report_options *options);

#endif
