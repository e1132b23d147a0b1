/* SPDX-License-Identifier: MIT */
/* The runs of a side. */
#include "run.h"

#include <stdlib.h>

static bool has_untimed(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].measured != HP_MEASURED_TIMED)
			return true;
	return false;
}

void hp_side_examine(struct hp_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		side->runs[i].has_untimed = has_untimed(side->runs[i].report.model);
}

bool hp_side_append(struct hp_side *side, struct hp_run run)
{
	struct hp_run *runs = reallocarray(side->runs, side->count + 1, sizeof(*runs));

	if (!runs)
		return false;
	runs[side->count++] = run;
	side->runs = runs;
	return true;
}

bool hp_side_is_of_windows(const struct hp_side *side)
{
	return side->count && side->runs[0].is_window;
}

void hp_side_clear(struct hp_side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		hp_model_free(side->runs[i].report.model);
		free(side->runs[i].label);
	}
	free(side->runs);
	*side = (struct hp_side){ 0 };
}

bool hp_run_knows_percentile(const struct hp_run *run, double percent)
{
	const struct hp_percentiles *known = &run->report.known;

	if (run->report.complete || percent <= 0 || percent >= 100)
		return true;
	for (unsigned i = 0; i < known->count; i++)
		if (known->items[i] == percent)
			return true;
	return false;
}
