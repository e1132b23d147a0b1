/* SPDX-License-Identifier: MIT */
/*
 * What one program did between two moments.
 *
 * The result begins as a copy of the later model, which is merged into an empty one. Then each row of the earlier model is
 * subtracted from the row that has become of it: that with the same site, as long as the segment is the same, or else
 * that with the same name and place.
 */
#include "since.h"

#include "arithmetic.h"
#include "calls/function_index.h"
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

/* ---- rows of functions and of kinds ---- */

/* Rows by the ids of their sites: their numbers plus one; 0 for a site without a row. */
struct by_id {
	size_t *rows;
	size_t count;
};

static bool by_id_open(struct by_id *by_id, uint32_t most)
{
	by_id->count = (size_t)most + 1;
	by_id->rows = calloc(by_id->count, sizeof(*by_id->rows));
	return by_id->rows;
}

static size_t by_id_find(const struct by_id *by_id, uint32_t id)
{
	return id && id < by_id->count ? by_id->rows[id] : 0;
}

static bool index_functions(struct by_id *by_id, const struct hp_model *model)
{
	uint32_t most = 0;

	for (size_t i = 0; i < model->function_count; i++)
		most = (uint32_t)hp_max(most, model->functions[i].id);
	if (!by_id_open(by_id, most))
		return false;
	for (size_t i = 0; i < model->function_count; i++)
		by_id->rows[model->functions[i].id] = i + 1;
	return true;
}

static bool index_entries(struct by_id *by_id, const struct hp_entries *entries)
{
	uint32_t most = 0;

	for (size_t i = 0; i < entries->count; i++)
		most = (uint32_t)hp_max(most, entries->items[i].id);
	if (!by_id_open(by_id, most))
		return false;
	for (size_t i = 0; i < entries->count; i++)
		by_id->rows[entries->items[i].id] = i + 1;
	return true;
}

/* Subtract the earlier rows, and note which row each has become: HP_NO_FUNCTION if it is gone. */
static int subtract_rows(const struct window *window, const struct hp_function_index *index,
			 const struct by_id *by_id, int32_t *rows)
{
	for (size_t i = 0; i < window->then->function_count; i++) {
		const struct hp_function *earlier = &window->then->functions[i];
		size_t same = by_id_find(by_id, earlier->id);
		const struct hp_function *known = same ? &window->now->functions[same - 1]
						       : earlier;
		size_t at = *hp_function_index_slot(index, window->result, known);
		struct hp_function *function = at ? &window->result->functions[at - 1] : NULL;
		if (earlier->calls > (function ? function->calls : 0))
			return fail(window, "fewer calls are known of ", earlier->name);
		rows[i] = at ? (int32_t)at - 1 : HP_NO_FUNCTION;
		if (function)
			hp_function_subtract(function, earlier);
	}
	return 0;
}

static int subtract_functions(const struct window *window, int32_t *rows)
{
	struct hp_function_index index;
	struct by_id by_id = { NULL, 0 };
	struct hp_model *result = window->result;

	if (!index_functions(&by_id, window->now))
		return -ENOMEM;
	int error = hp_function_index_open(&index, result, result->function_count + 1);
	if (!error) {
		error = subtract_rows(window, &index, &by_id, rows);
		hp_function_index_close(&index);
	}
	free(by_id.rows);
	return error;
}

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

static int subtract_entries(const struct window *window)
{
	const struct hp_entries *now = &window->now->entries, *then = &window->then->entries;
	struct by_id by_id = { NULL, 0 };

	if (!index_entries(&by_id, now))
		return -ENOMEM;
	for (size_t i = 0; i < then->count; i++) {
		size_t same = by_id_find(&by_id, then->items[i].id);
		const struct hp_entry *known = same ? &now->items[same - 1] : &then->items[i];
		struct hp_entry *entry = hp_entries_find(&window->result->entries, known);
		if (entry)
			hp_entry_subtract(entry, &then->items[i]);
	}
	free(by_id.rows);
	return 0;
}

/* ---- all ---- */

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
		error = rows ? copy_into(window->result, window->now) : -ENOMEM;
	if (!error)
		error = subtract(window, rows);
	free(rows);
	return error;
}

struct hp_model *hp_model_since(const struct hp_model *now, const struct hp_model *then,
				struct hp_error *error)
{
	struct window window = { calloc(1, sizeof(struct hp_model)), now, then, error };
	int failed = window.result ? take_window(&window) : -ENOMEM;

	if (!failed)
		return window.result;
	if (failed == -ENOMEM)
		snprintf(error->text, sizeof(error->text), "out of memory");
	hp_model_free(window.result);
	return NULL;
}
