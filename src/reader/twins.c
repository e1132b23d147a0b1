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

static void remove_cleared(struct hp_model *model)
{
	size_t kept = 0;

	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].name)
			model->functions[kept++] = model->functions[i];
	model->function_count = kept;
}

void hp_twins_join(struct hp_model *model, const struct hp_snapshot *snapshot,
		   const struct hp_names *names, const uint32_t *rows)
{
	uint32_t sites = names->count ? snapshot->site_count : 0;

	for (uint32_t id = 1; id <= sites; id++) {
		const struct hp_site *site = hp_check_site(snapshot->bytes, id);
		const struct hp_name *twin = site && rows[id] ? hp_names_twin(names, snapshot, site)
							      : NULL;
		if (twin && rows[twin->site])
			join(&model->functions[rows[twin->site] - 1],
			     &model->functions[rows[id] - 1]);
	}
	remove_cleared(model);
}
