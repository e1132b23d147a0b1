/* SPDX-License-Identifier: MIT */
/* Notes on windows of a running program: whether its load was the same before and after. */
#include "format.h"
#include "notes.h"

#include <errno.h>
#include <stdlib.h>

/* A load that has changed by this factor may change times as well. */
#define LOAD_FACTOR 1.25

static double calls_per_second(const struct hp_model *model)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < model->function_count; i++)
		calls += model->functions[i].calls;
	return model->elapsed_ns ? (double)calls * 1e9 / (double)model->elapsed_ns : 0;
}

/* The median over the windows of a side; negative when memory ran out. */
static double load_of(const struct hp_side *side)
{
	double *loads = calloc(side->count + 1, sizeof(*loads));
	if (!loads)
		return -1;

	for (size_t i = 0; i < side->count; i++)
		loads[i] = calls_per_second(side->runs[i].report.model);
	double load = hp_median(loads, side->count);
	free(loads);
	return load;
}

static int note_load(struct hp_comparison *comparison)
{
	double base = load_of(&comparison->base), head = load_of(&comparison->head);
	double factor = base > 0 && head > 0 ? head / base : 1;

	if (base < 0 || head < 0)
		return -ENOMEM;
	if (factor < LOAD_FACTOR && factor > 1 / LOAD_FACTOR)
		return 0;
	return hp_notes_add(comparison,
			    "the load has changed: %s calls per second before, %s after; that "
			    "alone may change the time of a call",
			    hp_format_count((uint64_t)base).text,
			    hp_format_count((uint64_t)head).text);
}

/* Without measured functions, CPU time and allocations are those of functions that nobody counts the calls of. */
static int note_uncounted(struct hp_comparison *comparison)
{
	const struct hp_model *model = comparison->base.runs[0].report.model;

	if (hp_model_has_calls(model))
		return 0;
	return hp_notes_add(comparison,
			    "no calls are counted, so that figures are per second: they change "
			    "with the load of the program, too");
}

int hp_note_windows(struct hp_comparison *comparison)
{
	if (!hp_side_is_of_windows(&comparison->base) || !comparison->head.count)
		return 0;
	int failed = note_load(comparison);
	return failed ? failed : note_uncounted(comparison);
}
