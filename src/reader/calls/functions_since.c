/* SPDX-License-Identifier: MIT */
/* What functions did between two moments: one row after the other. */
#include "calls/functions_since.h"

#include "arithmetic.h"
#include "calls/function_index.h"
#include "difference.h"

#include <errno.h>
#include <stdlib.h>

/* ---- which rows have become which ---- */

bool hp_rows_by_id_open(struct hp_rows_by_id *by_id, uint32_t most)
{
	by_id->count = (size_t)most + 1;
	by_id->rows = calloc(by_id->count, sizeof(*by_id->rows));
	return by_id->rows;
}

size_t hp_rows_by_id_find(const struct hp_rows_by_id *by_id, uint32_t id)
{
	return id && id < by_id->count ? by_id->rows[id] : 0;
}

static bool index_functions(struct hp_rows_by_id *by_id, const struct hp_model *model)
{
	uint32_t most = 0;

	for (size_t i = 0; i < model->function_count; i++)
		most = (uint32_t)hp_max(most, model->functions[i].id);
	if (!hp_rows_by_id_open(by_id, most))
		return false;
	for (size_t i = 0; i < model->function_count; i++)
		by_id->rows[model->functions[i].id] = i + 1;
	return true;
}

static int32_t row_of(const struct hp_functions_since *since, const struct hp_function_index *index,
		      const struct hp_function *function)
{
	size_t at = *hp_function_index_slot(index, since->result, function);

	return at ? (int32_t)at - 1 : HP_NO_FUNCTION;
}

/* Earlier rows are those of now with the same site, or else those with the same name and place. */
static void find_earlier(const struct hp_functions_since *since,
			 const struct hp_function_index *index, const struct hp_rows_by_id *by_id)
{
	for (size_t i = 0; i < since->then->function_count; i++) {
		const struct hp_function *earlier = &since->then->functions[i];
		size_t same = hp_rows_by_id_find(by_id, earlier->id);
		since->rows[i] = row_of(since, index,
					same ? &since->now->functions[same - 1] : earlier);
	}
}

static int find_rows(const struct hp_functions_since *since, int32_t *now_rows)
{
	struct hp_rows_by_id by_id = { NULL, 0 };
	struct hp_function_index index;

	if (!index_functions(&by_id, since->now))
		return -ENOMEM;
	int error = hp_function_index_open(&index, since->result,
					   since->result->function_count + 1);
	if (!error) {
		for (size_t i = 0; i < since->now->function_count; i++)
			now_rows[i] = row_of(since, &index, &since->now->functions[i]);
		find_earlier(since, &index, &by_id);
		hp_function_index_close(&index);
	}
	free(by_id.rows);
	return error;
}

/* ---- lists ---- */

/* The rows of a model that have become one row of the result, in their order: their numbers plus one, and 0 at the end. */
struct parts {
	size_t *first;
	size_t *next;
};

static bool list_parts(struct parts *parts, const int32_t *rows, size_t count, size_t result_count)
{
	parts->first = calloc(result_count + 1, sizeof(*parts->first));
	parts->next = calloc(count + 1, sizeof(*parts->next));
	if (!parts->first || !parts->next)
		return false;
	for (size_t i = count; i-- > 0;) {
		if (rows[i] == HP_NO_FUNCTION)
			continue;
		parts->next[i] = parts->first[rows[i]];
		parts->first[rows[i]] = i + 1;
	}
	return true;
}

static void free_parts(struct parts *parts)
{
	free(parts->first);
	free(parts->next);
}

/* ---- rows ---- */

struct hp_points *hp_function_histogram(struct hp_function *function, unsigned which)
{
	return which ? &function->alloc.calls[which - 1] : &function->times;
}

static int add_histograms(struct hp_function *into, struct hp_function from)
{
	int error = 0;

	for (unsigned i = 0; i < HP_FUNCTION_HISTOGRAMS && !error; i++)
		error = hp_points_merge(hp_function_histogram(into, i),
					hp_function_histogram(&from, i));
	return error;
}

static void free_histograms(struct hp_function *function)
{
	for (unsigned i = 0; i < HP_FUNCTION_HISTOGRAMS; i++)
		free(hp_function_histogram(function, i)->items);
}

static bool unpack_histograms(struct hp_function *function, const struct hp_packed_points *packed)
{
	bool done = true;

	for (unsigned i = 0; i < HP_FUNCTION_HISTOGRAMS; i++)
		done &= hp_points_unpack(hp_function_histogram(function, i), &packed[i]);
	return done;
}

/* Subtract an earlier row, whose histograms are unpacked for so long. */
static int subtract_unpacked(const struct hp_functions_since *since, struct hp_function *function,
			     size_t at)
{
	struct hp_function earlier = since->then->functions[at];
	bool done = unpack_histograms(&earlier, since->packed + at * HP_FUNCTION_HISTOGRAMS);

	if (done)
		hp_function_subtract(function, &earlier);
	free_histograms(&earlier);
	return done ? 0 : -ENOMEM;
}

static int subtract_row(struct hp_functions_since *since, struct hp_function *function, size_t at)
{
	const struct hp_function *earlier = &since->then->functions[at];

	if (earlier->calls > function->calls) {
		since->fewer = earlier;
		return -EINVAL;
	}
	if (since->packed)
		return subtract_unpacked(since, function, at);
	hp_function_subtract(function, earlier);
	return 0;
}

static int make_row(struct hp_functions_since *since, size_t row, const struct parts *now,
		    const struct parts *then)
{
	struct hp_function *function = &since->result->functions[row];
	int error = 0;

	for (size_t at = now->first[row]; at && !error; at = now->next[at - 1])
		error = add_histograms(function, since->now->functions[at - 1]);
	for (size_t at = then->first[row]; at && !error; at = then->next[at - 1])
		error = subtract_row(since, function, at - 1);
	if (since->reduce && !error)
		since->reduce(function);
	return error;
}

/* An earlier row that is gone must not have had calls. */
static int check_gone(struct hp_functions_since *since)
{
	for (size_t i = 0; i < since->then->function_count; i++) {
		const struct hp_function *earlier = &since->then->functions[i];
		if (since->rows[i] == HP_NO_FUNCTION && earlier->calls) {
			since->fewer = earlier;
			return -EINVAL;
		}
	}
	return 0;
}

static int make_rows(struct hp_functions_since *since, const int32_t *now_rows)
{
	struct parts now = { NULL, NULL }, then = { NULL, NULL };
	size_t count = since->result->function_count;
	bool is_listed = list_parts(&now, now_rows, since->now->function_count, count) &&
			 list_parts(&then, since->rows, since->then->function_count, count);
	int error = is_listed ? check_gone(since) : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = make_row(since, i, &now, &then);
	free_parts(&now);
	free_parts(&then);
	return error;
}

int hp_functions_subtract(struct hp_functions_since *since)
{
	int32_t *now_rows = calloc(since->now->function_count + 1, sizeof(*now_rows));
	int error = now_rows ? find_rows(since, now_rows) : -ENOMEM;

	if (!error)
		error = make_rows(since, now_rows);
	free(now_rows);
	return error;
}
