/* SPDX-License-Identifier: MIT */
/* The columns of a table of functions, by the fields of its kind; and its rows: their names and order. */
#ifndef HP_COLUMNS_H
#define HP_COLUMNS_H

#include "kind_cell.h"
#include "report_options.h"

/** What a table of functions shows: a table of a kind, and its exclusive or its inclusive figures. */
struct hp_measure {
	const struct hp_kind *kind;
	unsigned table;
	bool exclusive;
};

/** How much of its location a name needs to be unique: nothing, the file, file and line. */
enum hp_place {
	HP_PLACE_NONE,
	HP_PLACE_FILE,
	HP_PLACE_LINE,
};

/** One line of a table. */
struct hp_table_row {
	const struct hp_function *function;
	enum hp_place place;
	/** What the rows are sorted by; the largest first. */
	uint64_t weight;
};

/** A column in a table, or one that rows are sorted by. */
struct hp_column {
	const struct hp_field *field;
	/** For a percentile: which one. */
	double percent;
	/** It is the least or the largest of all calls: a percentile, but not its column. */
	bool is_extreme;
};

/** The totals that its figures are shares of: those of the model or, if the caller is left out, the sum of the rest. */
struct hp_totals hp_measure_totals(const struct hp_measure *measure, const struct hp_model *model,
				   const struct hp_report_options *options);

/** The field with the totals of functions; and the share of one, in percent. */
const struct hp_field *hp_measure_total(const struct hp_measure *measure);
double hp_measure_share(const struct hp_measure *measure, const struct hp_totals *totals,
			const struct hp_function *function);

/** The columns that a report shows, in their order; returns how many. */
size_t hp_columns_shown(const struct hp_model *model, const struct hp_report_options *options,
			const struct hp_measure *measure, const struct hp_totals *totals,
			struct hp_column columns[HP_TABLE_COLUMNS_MAX]);

/**
 * The column that rows are sorted by, shown or not: by its key, as "calls" or "p99.9". If the kind has none, it is that of
 * the time of functions or, if this has none either, the total.
 */
struct hp_column hp_column_sorted(const struct hp_measure *measure, const char *key);

/** Whether any table of functions has a column with this key. */
bool hp_column_exists(const char *key);

/** The keys there are, for people: "function, name, calls, avg, pNN, …". */
void hp_column_keys(char *keys, size_t size);

/** The name of a row, with its location if needed to be unique. It may hold any bytes. */
void hp_row_name(const struct hp_table_row *row, struct hp_text *text);

/** Sort rows, whose weight is 0, by a column; rows with the same value by name and place. */
void hp_rows_sort(struct hp_table_row *rows, size_t count, const struct hp_column *column);

/** Find out which rows need their location shown to be unique. Changes the order of rows. */
void hp_rows_tell_apart(struct hp_table_row *rows, size_t count);

#endif
