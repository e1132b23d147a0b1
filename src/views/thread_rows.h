/* SPDX-License-Identifier: MIT */
/* The rows of the section "threads": all running threads, and ended ones up to the limit. */
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
	/** The shown columns, as indexes into the table of columns. */
	uint8_t columns[HP_TABLE_COLUMNS_MAX];
	/** Running threads first; then by CPU time, or by allocated bytes. */
	struct hp_thread_row *items;
	size_t shown;
	size_t count;
	/** The sum of ended threads that are not shown. */
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
