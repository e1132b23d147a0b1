/* SPDX-License-Identifier: MIT */
/* Twins: functions that are measured twice, by HOTPATH_MEASURE and by compiler instrumentation. */
#include "twins.h"

#include "atomic.h"
#include "names/demangle.h"

#include <stdlib.h>

/* Whether a HOTPATH_MEASURE site was entered in the stack frame of an instrumented function with the same name. */
static bool is_twin(const struct hp_snapshot *snapshot, const struct hp_site *site,
		    const struct hp_name *around)
{
	char *pretty = around->has_symbol ? hp_snapshot_string(snapshot, site->name) : NULL;
	char *func = pretty ? hp_func_of_pretty(pretty) : NULL;
	char *name = func && around->full ? hp_demangled_name(around->full) : NULL;
	bool same = func && hp_is_func(name ? name : around->text, func);

	free(name);
	free(func);
	free(pretty);
	return same;
}

/* The enclosing call of a site may be recorded long after the site itself. */
void hp_twins_find(struct hp_names *names, const struct hp_snapshot *snapshot)
{
	for (uint32_t id = 1; names->count && id <= names->site_count; id++) {
		const struct hp_site *site = hp_check_site(snapshot->bytes, id);
		bool can_be = site &&
			      (site->kind == HP_SITE_FUNCTION || site->kind == HP_SITE_MAIN);
		/* RELAXED: the recorder may be setting it just now. */
		uint32_t around = can_be ? load(&site->twin, RELAXED) : 0;
		const struct hp_name *name;

		if (around == names->around[id].site || around > names->site_count)
			continue;
		names->around[id] = (struct hp_around){ .site = around };
		name = hp_names_find(names, around);
		if (name && site && is_twin(snapshot, site, name)) {
			names->around[id].twin = around;
			names->items[name - names->items].has_twin = true;
		}
	}
}

/* Replace the figures of a row, and keep its name and location. */
static void take_figures(struct hp_function *into, struct hp_function *from)
{
	struct hp_points times = into->times;

	into->calls = from->calls;
	into->open = from->open;
	into->counted = from->counted;
	into->measured = from->measured;
	into->total_ns = from->total_ns;
	into->sum_ns = from->sum_ns;
	into->min_ns = from->min_ns;
	into->max_ns = from->max_ns;
	into->times = from->times;
	/* To be freed with the rest of it. */
	from->times = times;
}

static void swap_points(struct hp_points *a, struct hp_points *b)
{
	struct hp_points points = *a;

	*a = *b;
	*b = points;
}

/* Most allocations are in the inner call; the inclusive figures of the outer call already include both. */
static void join_allocations(struct hp_alloc_figures *outer, struct hp_alloc_figures *inner)
{
	if (inner->bytes > outer->bytes)
		swap_points(&outer->calls[HP_ALLOC_BYTES], &inner->calls[HP_ALLOC_BYTES]);
	if (inner->count > outer->count)
		swap_points(&outer->calls[HP_ALLOC_BLOCKS], &inner->calls[HP_ALLOC_BLOCKS]);
	outer->bytes += inner->bytes;
	outer->count += inner->count;
	outer->freed_bytes += inner->freed_bytes;
	outer->freed_count += inner->freed_count;
	outer->temporary_count += inner->temporary_count;
}

/*
 * Exclusive samples are added, because they count for the innermost call; inclusive ones are not, because the outer
 * call is open whenever the inner one is.
 */
static void join_cpu(struct hp_function *outer, const struct hp_function *inner)
{
	uint64_t inclusive = outer->cpu.inclusive_samples;

	if (inner->cpu.inclusive_samples > inclusive)
		inclusive = inner->cpu.inclusive_samples;
	hp_row_add(hp_sample_fields, outer, inner);
	outer->cpu.inclusive_samples = inclusive;
}

static void join(struct hp_function *address, struct hp_function *named)
{
	/* Its span is measured in any case. */
	if (named->is_caller || address->measured != HP_MEASURED_TIMED)
		take_figures(address, named);
	address->self_ns += named->self_ns;
	if (address->self_ns > address->total_ns)
		address->self_ns = address->total_ns;
	join_allocations(&address->alloc, &named->alloc);
	join_cpu(address, named);
	address->is_caller |= named->is_caller;
	if (named->kind == HP_SITE_MAIN)
		address->kind = HP_SITE_MAIN;
	if (!address->file) {
		address->file = named->file;
		address->line = named->line;
		named->file = NULL;
	}
	hp_function_clear(named);
}

/* Rows are in the order of their sites. */
static void remove_cleared(struct hp_model *model, uint32_t *rows, uint32_t sites)
{
	size_t kept = 0;

	for (uint32_t id = 1; id <= sites; id++) {
		struct hp_function *function = rows[id] ? &model->functions[rows[id] - 1] : NULL;

		rows[id] = 0;
		if (function && function->name) {
			model->functions[kept++] = *function;
			rows[id] = (uint32_t)kept;
		}
	}
	model->function_count = kept;
}

void hp_twins_join(struct hp_model *model, const struct hp_snapshot *snapshot,
		   const struct hp_names *names, uint32_t *rows)
{
	uint32_t sites = names->count ? snapshot->site_count : 0;
	if (!sites)
		return;

	for (uint32_t id = 1; id <= sites; id++) {
		uint32_t twin = rows[id] ? hp_names_twin(names, id) : 0;
		if (twin && rows[twin])
			join(&model->functions[rows[twin] - 1], &model->functions[rows[id] - 1]);
	}
	remove_cleared(model, rows, sites);
	for (uint32_t id = 1; id <= sites; id++) {
		uint32_t twin = rows[id] ? 0 : hp_names_twin(names, id);
		if (twin)
			rows[id] = rows[twin];
	}
}
