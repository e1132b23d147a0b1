/* SPDX-License-Identifier: MIT */
/* Comparisons: their defaults, names, counts, and how they are freed. */
#include "comparison.h"

#include <stdlib.h>

void hp_compare_options_init(struct hp_compare_options *options)
{
	*options = (struct hp_compare_options){
		.threshold = 0.05,
		.min_share = 1,
		.confidence = 0.95,
		.fail_on = HP_FAIL_ON_SLOWER,
		.percentiles = { 95 },
		.percentile_count = 1,
	};
}

const char *hp_judged_name(enum hp_judged judged)
{
	static const char *const names[] = {
		[HP_JUDGED_NOT] = "",
		[HP_JUDGED_SAME] = "same",
		[HP_JUDGED_UNCLEAR] = "unclear",
		[HP_JUDGED_FASTER] = "faster",
		[HP_JUDGED_SLOWER] = "slower",
		[HP_JUDGED_LESS] = "less",
		[HP_JUDGED_MORE] = "more",
	};

	return names[judged];
}

bool hp_compared_row_has(const struct hp_compared_section *section,
			 const struct hp_compared_row *row, enum hp_judged judged)
{
	for (size_t i = 0; i < section->column_count; i++)
		if (section->columns[i].metric->kind == HP_COMPARED_EXACT &&
		    row->cells[i].judged == judged)
			return true;
	return false;
}

bool hp_compared_row_is_unjudged(const struct hp_compared_row *row)
{
	bool is_on_both_sides = row->presence == HP_PRESENT || row->presence == HP_RENAMED;

	return is_on_both_sides && !row->is_minor && row->judged == HP_JUDGED_NOT;
}

static void count_row(const struct hp_compared_section *section, const struct hp_compared_row *row,
		      struct hp_compare_counts *counts)
{
	if (row->is_minor) {
		counts->minor++;
		return;
	}
	counts->slower += row->judged == HP_JUDGED_SLOWER;
	counts->faster += row->judged == HP_JUDGED_FASTER;
	counts->same += row->judged == HP_JUDGED_SAME;
	counts->unclear += row->judged == HP_JUDGED_UNCLEAR;
	counts->more += hp_compared_row_has(section, row, HP_JUDGED_MORE);
	counts->less += hp_compared_row_has(section, row, HP_JUDGED_LESS);
	counts->created += row->presence == HP_NEW;
	counts->removed += row->presence == HP_REMOVED;
	counts->renamed += row->presence == HP_RENAMED;
	counts->not_compared += hp_compared_row_is_unjudged(row);
}

struct hp_compare_counts hp_compare_count(const struct hp_comparison *comparison)
{
	struct hp_compare_counts counts = { 0 };

	/* The first is the whole program. */
	for (size_t i = 1; i < comparison->section_count; i++) {
		const struct hp_compared_section *section = &comparison->sections[i];
		for (size_t j = 0; j < section->row_count; j++)
			count_row(section, &section->rows[j], &counts);
	}
	return counts;
}

static void clear_row(struct hp_compared_row *row, size_t column_count)
{
	for (size_t i = 0; row->cells && i < column_count; i++) {
		free(row->cells[i].before);
		free(row->cells[i].after);
	}
	free(row->cells);
	free(row->name);
	free(row->old_name);
	free(row->file);
}

static void clear_section(struct hp_compared_section *section)
{
	for (size_t i = 0; i < section->row_count; i++)
		clear_row(&section->rows[i], section->column_count);
	free(section->rows);
	free(section->columns);
}

static void free_strings(char **strings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(strings[i]);
	free(strings);
}

void hp_budgets_clear(struct hp_budgets *budgets)
{
	for (size_t i = 0; i < budgets->count; i++) {
		free(budgets->items[i].name);
		free(budgets->items[i].metric);
	}
	free(budgets->items);
	*budgets = (struct hp_budgets){ 0 };
}

void hp_comparison_clear(struct hp_comparison *comparison)
{
	for (size_t i = 0; i < comparison->section_count; i++)
		clear_section(&comparison->sections[i]);
	free(comparison->sections);
	free_strings(comparison->notes, comparison->note_count);
	free_strings(comparison->failures, comparison->failure_count);
	hp_budgets_clear(&comparison->budgets);
	hp_side_clear(&comparison->base);
	hp_side_clear(&comparison->head);
	*comparison = (struct hp_comparison){ 0 };
}
