/* SPDX-License-Identifier: MIT */
/* The columns of a table of functions: each once, with its name, what it shows and sorts by. */
#ifndef HP_COLUMNS_H
#define HP_COLUMNS_H

#include "measure.h"
#include "report_options.h"
#include "table.h"
#include "text.h"

/** How a value is written. */
enum hp_unit {
	HP_UNIT_NAME,
	/** Calls, and beside them the ones in progress. */
	HP_UNIT_CALLS,
	/** In the unit of the measure: a duration, bytes, a number. */
	HP_UNIT_VALUE,
	/** The same for single calls: unknown until one has ended. */
	HP_UNIT_OF_CALLS,
	/** A value, as its share of what is 100 %. */
	HP_UNIT_SHARE,
	/** A number of blocks, as their share of those of the function. */
	HP_UNIT_TEMPORARY,
	/** A number of samples, as the time that they stand for. */
	HP_UNIT_CPU,
	/** Calls a second; and those of each second, as a line of bars. */
	HP_UNIT_RATE,
	HP_UNIT_TREND,
};

/** How much of its location a name needs to be unique: nothing, the file, file and line. */
enum hp_place {
	HP_PLACE_NONE,
	HP_PLACE_FILE,
	HP_PLACE_LINE,
};

/** One line of a table. */
struct hp_row {
	const struct hp_function *function;
	enum hp_place place;
	/** What the rows are sorted by; the largest first. */
	uint64_t weight;
};

struct hp_column;

/** What a column is. */
struct hp_column_kind {
	/** As in --sort. */
	const char *key;
	/** An alternative key, or "". */
	const char *alias;
	/** "" for a percentile, whose header is made from its number. */
	const char *header;
	/** An enum hp_unit. */
	uint8_t unit;
	/** Of enum hp_shown. */
	uint8_t shown;
	/** If there is no room for all columns, those with the highest rank are dropped first. */
	uint8_t rank;
	/** The number to sort by; NULL for a name: then rows are sorted alphabetically. */
	uint64_t (*value)(const struct hp_column *column, const struct hp_function *function);
};

/** A column in a table. */
struct hp_column {
	const struct hp_column_kind *kind;
	const struct hp_measure *measure;
	/** For a percentile: which one. */
	double percent;
	/** Without the calls inside. */
	bool exclusive;
	/** The value that is 100 %; 0 for that of the measure. */
	uint64_t whole;
};

/* Each column once, and several percentiles. */
enum { HP_COLUMNS_MAX = 15 + HP_PERCENTILES_MAX };

/** The columns that a report shows; returns how many. */
size_t hp_columns_shown(const struct hp_model *model, const struct hp_report_options *options,
			const struct hp_measure *measure, bool exclusive,
			struct hp_column columns[HP_COLUMNS_MAX]);

/**
 * Find a column by its key: "calls", "p99.9". Its measure is time, until another is set.
 *
 * @return
 *         0, or -ENOENT, and then *column is as it was.
 */
int hp_column_find(const char *key, struct hp_column *column);

/** The keys there are, for people: "function, name, calls, avg, pNN, …". */
void hp_column_keys(char *keys, size_t size);

void hp_column_header(const struct hp_column *column, struct hp_text *text);

/** The cell of a row. Names come from the measured program: they may hold any bytes. */
void hp_column_cell(const struct hp_column *column, const struct hp_model *model,
		    const struct hp_row *row, struct hp_text *text);

/** The name of a row, with its location if needed to be unique. */
void hp_row_name(const struct hp_row *row, struct hp_text *text);

/** A row's total as a percentage of what is 100 %. */
double hp_column_share(const struct hp_column *column, const struct hp_model *model,
		       const struct hp_function *function);

/** The colour of a share, in percent. */
enum hp_paint hp_share_paint(double share);

/** The colour of a row's cell: shares that stand out are painted. */
enum hp_paint hp_column_paint(const struct hp_column *column, const struct hp_model *model,
			      const struct hp_function *function);

/** Sort rows, whose weight is 0, by a column; rows with the same value by name and place. */
void hp_rows_sort(struct hp_row *rows, size_t count, const struct hp_column *column);

/** Find out which rows need their location shown to be unique. Changes the order of rows. */
void hp_rows_tell_apart(struct hp_row *rows, size_t count);

#endif
