/* SPDX-License-Identifier: MIT */
/* From two sides to a comparison, step by step. */
#include "comparison.h"
#include "judge.h"
#include "match.h"
#include "metric.h"
#include "notes.h"
#include "policy.h"

#include <string.h>

/* Insert a percentile into the sorted list without duplicates; if the list is full, it is not compared. */
static void want_percentile(struct hp_compare_options *options, double percent)
{
	double *items = options->percentiles;
	unsigned at = 0;

	while (at < options->percentile_count && items[at] < percent)
		at++;
	if (options->percentile_count == HP_PERCENTILES_MAX ||
	    (at < options->percentile_count && items[at] == percent))
		return;
	memmove(items + at + 1, items + at, (options->percentile_count - at) * sizeof(*items));
	items[at] = percent;
	options->percentile_count++;
}

/* A percentile that has a budget must be compared, even if it was not requested. */
static void want_budgets(struct hp_comparison *comparison)
{
	for (size_t i = 0; i < comparison->budgets.count; i++) {
		const struct hp_budget *budget = &comparison->budgets.items[i];
		double percent;
		const struct hp_metric *metric = hp_metric_find(budget->metric, !budget->name,
								&percent);
		if (metric && metric->is_percentile)
			want_percentile(&comparison->options, percent);
	}
}

int hp_compare(struct hp_comparison *comparison)
{
	static int (*const steps[])(struct hp_comparison *) = {
		hp_match,
		hp_judge,
		hp_notes_collect,
		hp_policy,
	};
	int failed = 0;

	hp_side_examine(&comparison->base);
	hp_side_examine(&comparison->head);
	want_budgets(comparison);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !failed; i++)
		failed = steps[i](comparison);
	return failed;
}
