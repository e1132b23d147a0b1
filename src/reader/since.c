/* SPDX-License-Identifier: MIT */
/*
 * What one program did between two moments.
 *
 * The result begins as a copy of the later model, which is merged into an empty one. Then each row of the earlier model is
 * subtracted from the row that has become of it: that with the same site, as long as the segment is the same, or else
 * that with the same name and place. The histograms of functions, which are most of a model, are copied row by row.
 */
#include "since.h"

#include "arithmetic.h"
#include "calls/functions_since.h"
#include "calls/tree_since.h"
#include "cpu/cpu_since.h"
#include "difference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct window {
	struct hp_model *result;
	const struct hp_model *now;
	const struct hp_model *then;
	/* Its histograms of functions, if they are not in it. */
	const struct hp_packed_points *packed;
	/* What is done with each row of functions when it is complete; NULL for nothing. */
	void (*reduce)(struct hp_function *function);
	struct hp_error *error;
};

static int fail(const struct window *window, const char *reason, const char *what)
{
	snprintf(window->error->text, sizeof(window->error->text),
		 "process %" PRIu32 " cannot be compared with what it was before: %s%.128s",
		 window->then->pid, reason, what);
	return -EINVAL;
}

/* ---- the process ---- */

static int check_process(const struct window *window)
{
	const struct hp_model *now = window->now, *then = window->then;

	if (now->pid != then->pid || now->start_unix_ns != then->start_unix_ns)
		return fail(window, "it was started again", "");
	if (now->session != then->session)
		return fail(window, "it has begun to record anew", "");
	if (now->elapsed_ns < then->elapsed_ns)
		return fail(window, "its time went back", "");
	if (now->memory.bytes < then->memory.bytes || now->memory.count < then->memory.count)
		return fail(window, "fewer allocations are known", "");
	return 0;
}

/* Merging takes over all but these. */
static int copy_into(struct hp_model *result, const struct hp_model *model)
{
	result->is_attached = model->is_attached;
	result->io.before_bytes = model->io.before_bytes;
	return hp_model_merge(result, model);
}

struct hp_model *hp_model_copy(const struct hp_model *model)
{
	struct hp_model *copy = calloc(1, sizeof(*copy));

	if (!copy || copy_into(copy, model) == 0)
		return copy;
	hp_model_free(copy);
	return NULL;
}

/* Copy all but the histograms of functions. */
static int copy_bare(struct hp_model *result, const struct hp_model *model)
{
	struct hp_model bare = *model;

	bare.functions = calloc(model->function_count + 1, sizeof(*bare.functions));
	if (!bare.functions)
		return -ENOMEM;
	for (size_t i = 0; i < model->function_count; i++) {
		struct hp_function *function = &bare.functions[i];
		*function = model->functions[i];
		function->times = (struct hp_points){ NULL, 0 };
		for (unsigned j = 0; j < HP_ALLOC_HISTOGRAMS; j++)
			function->alloc.calls[j] = (struct hp_points){ NULL, 0 };
	}
	int error = copy_into(result, &bare);
	free(bare.functions);
	return error;
}

/* ---- keeping ---- */

/* Pack the histograms of a row, which are freed in turn. */
static bool pack_row(struct hp_packed_points *packed, struct hp_function *function)
{
	bool done = true;

	for (unsigned i = 0; i < HP_FUNCTION_HISTOGRAMS && done; i++) {
		struct hp_points *points = hp_function_histogram(function, i);
		done = hp_points_pack(&packed[i], points);
		free(points->items);
		*points = (struct hp_points){ NULL, 0 };
	}
	return done;
}

bool hp_earlier_take(struct hp_earlier *earlier, struct hp_model *model)
{
	size_t count = model ? model->function_count : 0;

	*earlier = (struct hp_earlier){ model, NULL };
	if (!model)
		return true;
	earlier->packed = calloc(count * HP_FUNCTION_HISTOGRAMS + 1, sizeof(*earlier->packed));
	bool done = earlier->packed;
	for (size_t i = 0; i < count && done; i++)
		done = pack_row(earlier->packed + i * HP_FUNCTION_HISTOGRAMS, &model->functions[i]);
	if (!done)
		hp_earlier_clear(earlier);
	return done;
}

void hp_earlier_clear(struct hp_earlier *earlier)
{
	size_t count = earlier->model ? earlier->model->function_count : 0;

	for (size_t i = 0; earlier->packed && i < count * HP_FUNCTION_HISTOGRAMS; i++)
		free(earlier->packed[i].bytes);
	free(earlier->packed);
	hp_model_free(earlier->model);
	*earlier = (struct hp_earlier){ NULL, NULL };
}

/* ---- figures ---- */

static void subtract_figures(struct hp_model *result, const struct hp_model *then)
{
	result->elapsed_ns -= then->elapsed_ns;
	result->own_elapsed_ns = hp_minus(result->own_elapsed_ns, then->own_elapsed_ns);
	result->estimated_ns = hp_minus(result->estimated_ns, then->estimated_ns);
	result->io.before_bytes += then->io.counted_bytes;
	result->io.counted_bytes = hp_minus(result->io.counted_bytes, then->io.counted_bytes);
	for (size_t i = 0; i < HP_COUNTERS; i++)
		result->dropped[i] = hp_minus(result->dropped[i], then->dropped[i]);
}

static void subtract_memory(struct hp_memory *memory, const struct hp_memory *earlier)
{
	memory->bytes -= earlier->bytes;
	memory->count -= earlier->count;
	memory->allocated_bytes = hp_minus(memory->allocated_bytes, earlier->allocated_bytes);
	memory->freed_bytes = hp_minus(memory->freed_bytes, earlier->freed_bytes);
	memory->freed_count = hp_minus(memory->freed_count, earlier->freed_count);
}

/* ---- rows of kinds ---- */

static void drop_idle(struct hp_entries *entries)
{
	size_t kept = 0;

	for (size_t i = 0; i < entries->count; i++) {
		if (hp_entry_is_idle(&entries->items[i]))
			hp_entry_clear(&entries->items[i]);
		else
			entries->items[kept++] = entries->items[i];
	}
	entries->count = kept;
}

static bool index_entries(struct hp_rows_by_id *by_id, const struct hp_entries *entries)
{
	uint32_t most = 0;

	for (size_t i = 0; i < entries->count; i++)
		most = (uint32_t)hp_max(most, entries->items[i].id);
	if (!hp_rows_by_id_open(by_id, most))
		return false;
	for (size_t i = 0; i < entries->count; i++)
		by_id->rows[entries->items[i].id] = i + 1;
	return true;
}

static int subtract_entries(const struct window *window)
{
	const struct hp_entries *now = &window->now->entries, *then = &window->then->entries;
	struct hp_rows_by_id by_id = { NULL, 0 };

	if (!index_entries(&by_id, now))
		return -ENOMEM;
	for (size_t i = 0; i < then->count; i++) {
		size_t same = hp_rows_by_id_find(&by_id, then->items[i].id);
		const struct hp_entry *known = same ? &now->items[same - 1] : &then->items[i];
		struct hp_entry *entry = hp_entries_find(&window->result->entries, known);
		if (entry)
			hp_entry_subtract(entry, &then->items[i]);
	}
	free(by_id.rows);
	return 0;
}

/* ---- all ---- */

static int subtract_functions(const struct window *window, int32_t *rows)
{
	struct hp_functions_since since = { .result = window->result,
					    .now = window->now,
					    .then = window->then,
					    .packed = window->packed,
					    .rows = rows,
					    .reduce = window->reduce };
	int error = hp_functions_subtract(&since);

	return error == -EINVAL ? fail(window, "fewer calls are known of ", since.fewer->name)
				: error;
}

static int subtract(const struct window *window, int32_t *rows)
{
	struct hp_model *result = window->result;
	const struct hp_model *then = window->then;
	int error = subtract_functions(window, rows);

	if (!error)
		error = subtract_entries(window);
	if (!error)
		error = hp_tree_subtract(result, then, rows);
	if (!error)
		error = hp_cpu_subtract(&result->cpu, &then->cpu, rows);
	if (!error)
		error = hp_cpu_subtract(&result->waits, &then->waits, rows);
	if (!error)
		error = hp_cpu_subtract(&result->allocations, &then->allocations, rows);
	if (error)
		return error;
	subtract_figures(result, then);
	subtract_memory(&result->memory, &then->memory);
	hp_threads_subtract(&result->threads, &then->threads);
	drop_idle(&result->entries);
	return 0;
}

static int take_window(const struct window *window)
{
	int error = check_process(window);
	int32_t *rows = error ? NULL : calloc(window->then->function_count + 1, sizeof(*rows));

	if (!error)
		error = rows ? copy_bare(window->result, window->now) : -ENOMEM;
	if (!error)
		error = subtract(window, rows);
	free(rows);
	return error;
}

struct hp_model *hp_model_since(const struct hp_model *now, const struct hp_model *then,
				struct hp_error *error)
{
	const struct hp_earlier earlier = { (struct hp_model *)then, NULL };

	return hp_model_since_reduced(now, &earlier, NULL, error);
}

struct hp_model *hp_model_since_reduced(const struct hp_model *now, const struct hp_earlier *then,
					void (*reduce)(struct hp_function *function),
					struct hp_error *error)
{
	struct window window = {
		calloc(1, sizeof(struct hp_model)), now, then->model, then->packed, reduce, error
	};
	int failed = window.result ? take_window(&window) : -ENOMEM;

	if (!failed)
		return window.result;
	if (failed == -ENOMEM)
		snprintf(error->text, sizeof(error->text), "out of memory");
	hp_model_free(window.result);
	return NULL;
}
