/* SPDX-License-Identifier: MIT */
/* The rows of the section "bottlenecks": measured functions, or threads if no function is measured. */
#ifndef HP_BOTTLENECK_ROWS_H
#define HP_BOTTLENECK_ROWS_H

#include "columns.h"
#include "verdict.h"

/** A function; or threads of one name, and then row.function is NULL. */
struct hp_bottleneck {
	struct hp_table_row row;
	/** The first of them, and how many there are. */
	const struct hp_thread *thread;
	size_t threads;
	struct hp_spent spent;
	struct hp_split split;
};

struct hp_bottlenecks {
	struct hp_bottleneck *items;
	size_t count;
};

/** Choose and sort the rows. Returns false when memory ran out; either way, the items are to be freed. */
bool hp_bottlenecks_choose(struct hp_bottlenecks *all, const struct hp_model *model,
			   const struct hp_report_options *options);

/** The name of a row. */
void hp_bottleneck_name(const struct hp_bottleneck *bottleneck, const struct hp_model *model,
			struct hp_text *text);

#endif
