/* SPDX-License-Identifier: MIT */
/*
 * The table of a section before it is drawn: its columns, and rows that become text only where they are
 * seen. A report draws them once; the console those on its screen, again and again.
 */
#ifndef HP_GRID_H
#define HP_GRID_H

#include "model.h"
#include "report_options.h"
#include "table.h"
#include "text.h"

enum { HP_GRID_HEADER = 40, HP_GRID_LESSER = 128 };

struct hp_grid_column {
	/** As in --sort: "calls", "p99.9". */
	char key[HP_GRID_HEADER];
	char header[HP_GRID_HEADER];
	enum hp_align align;
	/** If there is no room for all columns, those with the highest rank are dropped first; in a report, of several with the
	    same rank, those whose `lesser` is highest, which is less than HP_GRID_LESSER. */
	unsigned rank;
	unsigned lesser;
};

struct hp_grid;

struct hp_grid_kind {
	/** Write a cell; returns its colour. Names come from the measured program: they may hold any bytes. */
	enum hp_paint (*cell)(const struct hp_grid *grid, size_t row, size_t column,
			      struct hp_text *text);
	/** Identifies a row across successive grids. */
	uint64_t (*identity)(const struct hp_grid *grid, size_t row);
	/** The function that a row is about, or NULL if it is about another thing; NULL when all rows are. */
	const struct hp_function *(*function)(const struct hp_grid *grid, size_t row);
	void (*close)(struct hp_grid *grid);
	/** The row of a kind that a row is about; NULL when rows are something else. */
	const struct hp_entry *(*entry)(const struct hp_grid *grid, size_t row);
};

struct hp_grid {
	const struct hp_grid_kind *kind;
	/** The model that it shows, which must outlive it. */
	const struct hp_model *model;
	struct hp_grid_column columns[HP_TABLE_COLUMNS_MAX];
	size_t column_count;
	/** Which column has the names of the rows. */
	size_t name;
	/** The column that the rows are sorted by, largest first; -1 if it is not shown; and whether they cannot be sorted. */
	int sorted;
	bool keeps_order;
	size_t row_count;
	/** How many rows at the end are sums of what has no row of its own: they are always shown. */
	size_t tail;
	/** Whether the section's limit was applied already; and how many rows it removed. */
	bool is_limited;
	size_t left_out;
	/** Private data of the creator; and other data, or NULL, freed with the grid if there is a function for it. */
	void *rows;
	void *base;
	void (*free_base)(void *base);
};

/** Draw at most this many of the first rows, and the ones that are always shown. */
void hp_grid_write(const struct hp_grid *grid, size_t shown,
		   const struct hp_report_options *options, struct hp_text *text);

void hp_grid_close(struct hp_grid *grid);

/** An identity made from name and line: ids change when a program is started again. */
uint64_t hp_grid_identity(const char *name, uint32_t line);

#endif
