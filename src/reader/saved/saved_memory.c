/* SPDX-License-Identifier: MIT */
/* Reads allocations from a saved report. */
#include "saved_memory.h"

#include "alloc_mode.h"
#include "saved_entries.h"
#include "saved_points.h"
#include "saved_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_mode(struct json_object *value, void *into)
{
	enum hp_alloc_mode *mode = into;

	return hp_alloc_mode_find(json_object_get_string(value), mode) && *mode != HP_ALLOC_NONE;
}

static const struct hp_saved_type mode_type = { read_mode, "count, freed or live" };

static const struct hp_saved_field total_fields[] = {
	{ "mode", &mode_type, offsetof(struct hp_memory, mode) },
	{ "total_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, bytes) },
	{ "total_blocks", &hp_saved_type_u64, offsetof(struct hp_memory, count) },
	{ "freed_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, freed_bytes) },
	{ "freed_blocks", &hp_saved_type_u64, offsetof(struct hp_memory, freed_count) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field heap_fields[] = {
	{ "live_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, live_bytes) },
	{ "live_blocks", &hp_saved_type_u64, offsetof(struct hp_memory, live_blocks) },
	{ "peak_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, peak_bytes) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field outside_fields[] = {
#define OUTSIDE(key, member)                                                                       \
	{                                                                                          \
		key, &hp_saved_type_u64, offsetof(struct hp_outside, member)                       \
	}
	{ "pid", &hp_saved_type_u32, offsetof(struct hp_outside, pid) },
	OUTSIDE("mapped_bytes", mapped_bytes),
	OUTSIDE("mapped_peak_bytes", mapped_peak_bytes),
	OUTSIDE("rss_heap_bytes", resident[HP_RESIDENT_HEAP]),
	OUTSIDE("rss_mapped_bytes", resident[HP_RESIDENT_MAPPED]),
	OUTSIDE("rss_file_bytes", resident[HP_RESIDENT_FILES]),
	OUTSIDE("rss_code_bytes", resident[HP_RESIDENT_CODE]),
	OUTSIDE("rss_stack_bytes", resident[HP_RESIDENT_STACKS]),
	OUTSIDE("rss_own_bytes", resident[HP_RESIDENT_OWN]),
#undef OUTSIDE
	{ NULL, NULL, 0 },
};

static int require_name(struct json_object *row, struct hp_error *error)
{
	if (json_object_is_type(row, json_type_object) && hp_saved_member(row, "name"))
		return 0;
	return hp_saved_fail(error, -EINVAL, "damaged report: a function has no name");
}

/* ---- functions ---- */

struct loading {
	struct hp_saved *saved;
	struct hp_saved_rows rows;
	struct hp_percentiles known;
	struct hp_error *error;
};

/* Read percentiles in place of a histogram: of calls, with or without calls inside. */
static int read_percentiles(struct loading *loading, struct json_object *row, uint64_t calls,
			    struct hp_alloc_figures *figures)
{
	bool cumulative = loading->saved->alloc_cumulative;
	unsigned bytes = cumulative ? HP_ALLOC_INCLUSIVE_BYTES : HP_ALLOC_BYTES;
	unsigned blocks = cumulative ? HP_ALLOC_INCLUSIVE_BLOCKS : HP_ALLOC_BLOCKS;

	loading->saved->complete = false;
	if (calls == 0)
		return 0;
	int failed = hp_saved_percentiles(row, &loading->known, "", "bytes", calls, 0,
					  &figures->calls[bytes], loading->error);
	if (!failed)
		failed = hp_saved_percentiles(row, &loading->known, "", "count", calls, 0,
					      &figures->calls[blocks], loading->error);
	return failed;
}

static int read_figures(struct loading *loading, struct json_object *row, uint64_t calls,
			struct hp_function *into)
{
	struct hp_alloc_figures *figures = &into->alloc;
	bool complete;
	int failed = hp_saved_figures(row, hp_alloc_fields, into, loading->error);

	if (!failed)
		failed = hp_saved_histograms(row, hp_alloc_fields, into, &complete, loading->error);
	if (failed || complete)
		return failed;
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++) {
		free(figures->calls[i].items);
		figures->calls[i] = (struct hp_points){ NULL, 0 };
	}
	return read_percentiles(loading, row, calls, figures);
}

/* Read the figures of the function's calls, if no earlier section had them. */
static int read_calls(struct json_object *row, struct hp_function *function, struct hp_error *error)
{
	static const struct hp_saved_field caller_fields[] = {
		{ "caller", &hp_saved_type_boolean, offsetof(struct hp_function, is_caller) },
		{ NULL, NULL, 0 },
	};
	int failed = hp_saved_figures(row, hp_call_fields, function, error);

	return failed ? failed : hp_saved_fields(row, caller_fields, function, error);
}

static int read_function(struct loading *loading, struct json_object *row)
{
	struct hp_function read = { .name = NULL };
	int32_t at;
	int failed = require_name(row, loading->error);
	if (!failed)
		failed = hp_saved_row(&loading->rows, row, &at, loading->error);
	if (failed)
		return failed;

	struct hp_function *function = &loading->saved->model->functions[at];
	if (function->kind != HP_SITE_CALL && !function->calls)
		failed = read_calls(row, function, loading->error);
	if (!failed)
		failed = read_figures(loading, row, function->calls, &read);
	if (!failed && hp_alloc_figures_merge(function, &read))
		failed = hp_saved_fail(loading->error, -ENOMEM, "out of memory");
	hp_alloc_figures_clear(&read.alloc);
	return failed;
}

static int read_functions(struct json_object *report, struct hp_saved *saved,
			  struct hp_error *error)
{
	static const struct hp_saved_field saved_fields[] = {
		{ "cumulative", &hp_saved_type_boolean,
		  offsetof(struct hp_saved, alloc_cumulative) },
		{ NULL, NULL, 0 },
	};
	struct loading loading = { .saved = saved, .error = error };
	struct json_object *section = hp_saved_member(report, "functions_alloc"), *rows = NULL;
	size_t count = 0;
	int failed = hp_saved_member_fields(report, "functions_alloc", total_fields,
					    &saved->model->memory, error);
	if (section && !failed)
		failed = hp_saved_member_fields(section, "outside_malloc", outside_fields,
						&saved->model->memory.outside, error);
	if (section && !failed)
		failed = hp_saved_array(section, "data", &rows, &count, error);
	if (!section || failed)
		return failed;

	if (saved->model->memory.bytes && saved->model->memory.mode == HP_ALLOC_NONE)
		return hp_saved_fail(error, -EINVAL, "damaged report: allocations have no 'mode'");
	failed = hp_saved_fields(section, saved_fields, saved, error);
	if (!failed)
		failed = hp_saved_known(section, &loading.known, error);
	if (!failed && !hp_saved_member(report, "functions_timing"))
		saved->known = loading.known;
	if (!failed)
		failed = hp_saved_rows_open(&loading.rows, saved->model, count, error);
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_function(&loading, json_object_array_get_idx(rows, i));
	hp_saved_rows_close(&loading.rows);
	return failed;
}

/* ---- blocks ---- */

/* The totals; their rows are read with those of other kinds. */
static int read_live(struct json_object *report, struct hp_memory *memory, struct hp_error *error)
{
	if (hp_saved_member(report, "memory_live"))
		memory->mode = HP_ALLOC_LIVE;
	return hp_saved_member_fields(report, "memory_live", heap_fields, memory, error);
}

int hp_saved_memory(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	int failed = read_functions(report, saved, error);

	return failed ? failed : read_live(report, &saved->model->memory, error);
}
