/* SPDX-License-Identifier: MIT */
/*
 * Branches of the call tree as rows of a table, or as objects in JSON.
 *
 *	+-------+-----------+-----------+---------+--------------+
 *	| Calls |     Total |      Self | % Total | Function     |
 *	+-------+-----------+-----------+---------+--------------+
 *	|     1 | 209.92 ms |  40.01 ms | 100.00% | main         |
 *	|  1000 | 169.91 ms | 169.91 ms |  80.94% | └─ work      |
 *	+-------+-----------+-----------+---------+--------------+
 */
#ifndef HP_BRANCH_TABLE_H
#define HP_BRANCH_TABLE_H

#include "columns.h"
#include "json_writer.h"

/** Used in place of a function: the caller is not measured. */
enum { HP_NOBODY = -2 };

/** Private to the functions below. */
struct hp_branch_table {
	const struct hp_model *model;
	struct hp_totals totals;
	struct hp_table table;
	struct hp_text cell;
	/** How much of its location each function needs to be told from others. */
	enum hp_place *places;
};

/** Begin a table, with its header. The model must outlive it. Out of memory is remembered. */
void hp_branch_table_init(struct hp_branch_table *rows, const struct hp_model *model);

/** The columns, for a grid; and which of them has the names. */
size_t hp_branch_columns(struct hp_grid_column columns[HP_TABLE_COLUMNS_MAX], size_t *name);

/** Write a cell. @param before What is drawn before the name. */
enum hp_paint hp_branch_cell(const struct hp_branch_table *rows, const struct hp_branch *branch,
			     const char *before, size_t column, struct hp_text *text);

/** Add a row. @param before What is drawn before the name. */
void hp_branch_table_add(struct hp_branch_table *rows, const struct hp_branch *branch,
			 const char *before);

/** Draw the table, and free what it holds. */
void hp_branch_table_write(struct hp_branch_table *rows, const struct hp_report_options *options,
			   struct hp_text *text);

/** Free what it holds. */
void hp_branch_table_free(struct hp_branch_table *rows);

/** A branch as an hp_function with the branch's figures. It owns no memory. */
struct hp_function hp_branch_function(const struct hp_model *model, const struct hp_branch *branch);

/** Write the members of a branch into a JSON object that was begun. */
void hp_branch_json(struct hp_json *json, const struct hp_model *model,
		    const struct hp_branch *branch);

#endif
