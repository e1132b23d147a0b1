/* SPDX-License-Identifier: MIT */
/* The columns that several tables of functions have in common, as parts of their fields. */
#ifndef HP_FUNCTION_COLUMNS_H
#define HP_FUNCTION_COLUMNS_H

#include "figure.h"
#include "function.h"

#define AT(member) HP_AT(struct hp_function, member)
#define TOTAL(member) HP_AT(struct hp_totals, member)

/** A column: its header, or NULL if rows can only be sorted by it; the key to sort by it; its place; its rank. */
#define COLUMN(title, key, place, order)                                                           \
	.header = (title), .sort = (key), .nth = (place), .rank = (order)

#define COLUMN_CALLS COLUMN("Calls", "calls", 10, 3)
#define COLUMN_RATE COLUMN("Calls/s", "rate", 20, 5)
#define COLUMN_AVERAGE COLUMN("Avg", "avg", 30, 4)
#define COLUMN_PERCENTILE COLUMN("P", "p", 40, 7)
#define COLUMN_TOTAL COLUMN("Total", "total", 50, 2)
#define COLUMN_SHARE COLUMN("% Total", "percent", 100, 1)
#define COLUMN_SELF COLUMN(NULL, "self", 110, 0)
#define COLUMN_TREND COLUMN("Last minute", "trend", 150, 6)

/** Whole fields: the name, which comes first; recent calls a second, and those of the last minute. */
#define FIELD_FUNCTION                                                                             \
	{                                                                                          \
		.unit = HP_FIELD_NAME, .at = AT(name), .sort = "function", .nth = 1                \
	}
#define FIELD_RATE(name)                                                                           \
	{                                                                                          \
		(name), COLUMN_RATE, .unit = HP_FIELD_TREND, .at = AT(trend),                      \
				     .table = HP_ANY_TABLE, .when = HP_SHOWN_WATCHED_ONLY          \
	}
#define FIELD_TREND                                                                                \
	{                                                                                          \
		COLUMN_TREND, .unit = HP_FIELD_MINUTE, .at = AT(trend), .table = HP_ANY_TABLE,     \
			      .when = HP_SHOWN_WATCHED_ONLY                                        \
	}

#endif
