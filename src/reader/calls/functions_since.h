/* SPDX-License-Identifier: MIT */
/* What functions did between two moments (since.h): one row after the other. */
#ifndef HP_FUNCTIONS_SINCE_H
#define HP_FUNCTIONS_SINCE_H

#include "model.h"
#include "packed_points.h"

enum {
	/** Of calls, and of allocations. */
	HP_FUNCTION_HISTOGRAMS = 1 + HP_ALLOC_HISTOGRAMS,
};

/** One of the histograms of a row. */
struct hp_points *hp_function_histogram(struct hp_function *function, unsigned which);

struct hp_functions_since {
	/** Has the rows of now, merged, without histograms. */
	struct hp_model *result;
	const struct hp_model *now;
	const struct hp_model *then;
	/** The histograms of then, HP_FUNCTION_HISTOGRAMS for each row; NULL if they are in it. */
	const struct hp_packed_points *packed;
	/** Filled: which row of the result each earlier row has become; HP_NO_FUNCTION if it is gone. */
	int32_t *rows;
	/** Called with each row of the result when it is complete, so that not all histograms are there at once; NULL for nothing. */
	void (*reduce)(struct hp_function *function);
	/** The earlier row of which fewer calls are known now, if that is why it failed. */
	const struct hp_function *fewer;
};

/** Add the histograms of now, and subtract the rows of then. Returns 0, -ENOMEM, or -EINVAL when a count has become less. */
int hp_functions_subtract(struct hp_functions_since *since);

/** Rows by the ids of their sites: their numbers plus one; 0 for a site without a row. */
struct hp_rows_by_id {
	size_t *rows;
	size_t count;
};

/** Make room for ids; its rows are to be freed. Returns false when memory ran out. */
bool hp_rows_by_id_open(struct hp_rows_by_id *by_id, uint32_t most);

size_t hp_rows_by_id_find(const struct hp_rows_by_id *by_id, uint32_t id);

#endif
