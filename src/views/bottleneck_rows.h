/* SPDX-License-Identifier: MIT */
/* The rows of the section "bottlenecks": measured functions, or threads if no function is measured. */
#ifndef HP_BOTTLENECK_ROWS_H
#define HP_BOTTLENECK_ROWS_H

#include "columns.h"
#include "verdict.h"
#include "waited.h"

/** A function; or threads of one name, and then row.function is NULL. */
struct hp_bottleneck {
	struct hp_table_row row;
	/** The first of them, and how many there are. */
	const struct hp_thread *thread;
	size_t threads;
	/** What it waited for, and whether that is known. */
	struct hp_waited waited;
	bool has_waits;
	struct hp_spent spent;
	struct hp_split split;
};

struct hp_bottlenecks {
	struct hp_bottleneck *items;
	size_t count;
	/** All waits of the program, also those that belong to no row. */
	struct hp_waited waited;
	/** The same added up, without the time in which threads that were woken queued for a processor. */
	uint64_t waits[HP_WAITINGS];
};

/** Choose and sort the rows. Returns false when memory ran out; either way, they are to be freed. */
bool hp_bottlenecks_choose(struct hp_bottlenecks *all, const struct hp_model *model,
			   const struct hp_report_options *options);

void hp_bottlenecks_free(struct hp_bottlenecks *all);

/** The name of a row. */
void hp_bottleneck_name(const struct hp_bottleneck *bottleneck, const struct hp_model *model,
			struct hp_text *text);

#endif
