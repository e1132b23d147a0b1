/* SPDX-License-Identifier: MIT */
/* Functions that measure themselves although the compiler makes them call us too. */
#include "twins.h"

/* Replace what was measured, and keep what it is called. */
static void take_figures(struct hp_function *into, struct hp_function *from)
{
	struct hp_point *points = into->points;

	into->calls = from->calls;
	into->open = from->open;
	into->total_ns = from->total_ns;
	into->sum_ns = from->sum_ns;
	into->min_ns = from->min_ns;
	into->max_ns = from->max_ns;
	into->points = from->points;
	into->point_count = from->point_count;
	/* To be freed with the rest of it. */
	from->points = points;
}

/* The site that knows the same function by its address; 0 when there is none. */
static uint32_t twin_of(const struct hp_snapshot *snapshot, const struct hp_names *names,
			uint32_t id)
{
	const struct hp_site *site = hp_check_site(snapshot->bytes, id);
	const struct hp_name *name = site ? hp_names_twin(names, snapshot, site) : NULL;

	return name ? name->site : 0;
}

static void join(struct hp_function *address, struct hp_function *named)
{
	if (named->is_caller)
		take_figures(address, named);
	address->self_ns += named->self_ns;
	if (address->self_ns > address->total_ns)
		address->self_ns = address->total_ns;
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
		uint32_t twin = rows[id] ? twin_of(snapshot, names, id) : 0;
		if (twin && rows[twin])
			join(&model->functions[rows[twin] - 1], &model->functions[rows[id] - 1]);
	}
	remove_cleared(model, rows, sites);
	for (uint32_t id = 1; id <= sites; id++) {
		uint32_t twin = rows[id] ? 0 : twin_of(snapshot, names, id);
		if (twin)
			rows[id] = rows[twin];
	}
}
