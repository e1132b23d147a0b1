/* SPDX-License-Identifier: MIT */
/*
 * A comparison that was made by hand: ten runs of each side, in which every verdict and every way of a row is there.
 * Rows stand in the order that judging gives them.
 */
#ifndef MADE_COMPARISON_H
#define MADE_COMPARISON_H

#include "comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MADE_EVIL "a|b`c\\|<img src=x>@everyone #1 [x](http://x)\n\x1b[31m*e*"

static const struct hp_metric made_program_metrics[] = {
	{ .name = "elapsed",
	  .header = "Elapsed",
	  .kind = HP_COMPARED_TIME,
	  .unit = HP_UNIT_NS,
	  .decides = true },
	{ .name = "allocations", .header = "Allocations", .rank = 1 },
	{ .name = NULL },
};

static const struct hp_metric made_timing_metrics[] = {
	{ .name = "calls", .header = "Calls", .rank = 1 },
	{ .name = "total",
	  .header = "Total",
	  .kind = HP_COMPARED_TIME,
	  .unit = HP_UNIT_NS,
	  .rank = 3 },
	{ .name = "self",
	  .header = "Self",
	  .kind = HP_COMPARED_TIME,
	  .unit = HP_UNIT_NS,
	  .decides = true },
	{ .name = "avg", .header = "Avg", .kind = HP_COMPARED_TIME, .unit = HP_UNIT_NS, .rank = 2 },
	{ .name = NULL },
};

static const struct hp_metric made_alloc_metrics[] = {
	{ .name = "bytes", .header = "Bytes", .unit = HP_UNIT_BYTES, .is_alloc = true },
	{ .name = "blocks", .header = "Blocks", .is_alloc = true, .rank = 1 },
	{ .name = NULL },
};

static const struct hp_metric made_gauge_metrics[] = {
	{ .name = "last",
	  .header = "Last",
	  .kind = HP_COMPARED_LEVEL,
	  .unit = HP_UNIT_NUMBER,
	  .is_neutral = true },
	{ .name = "updates", .header = "Updates", .rank = 1 },
	{ .name = "updates_inside", .header = "Inside", .is_neutral = true, .rank = 2 },
	{ .name = NULL },
};

static const struct hp_subject made_program = { .name = "program",
						.title = "whole program",
						.noun = "program",
						.metrics = made_program_metrics };
static const struct hp_subject made_timing = {
	.name = "timing", .title = "functions", .noun = "function", .metrics = made_timing_metrics
};
static const struct hp_subject made_alloc = {
	.name = "alloc", .title = "functions", .noun = "function", .metrics = made_alloc_metrics
};
static const struct hp_subject made_gauges = {
	.name = "debug", .title = "values", .noun = "value", .metrics = made_gauge_metrics
};

static inline void *made_zeroed(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		abort();
	return memory;
}

static inline char *made_string(const char *string)
{
	char *copy = strdup(string);

	if (!copy)
		abort();
	return copy;
}

/* Sides without reports: figures come from cells. */
static inline void made_start(struct hp_comparison *made, size_t base, size_t head)
{
	*made = (struct hp_comparison){
		.options = { .threshold = 0.05, .min_share = 1, .confidence = 0.95 },
		.row_confidence = 0.995,
		.judged_count = 10,
		.runs_needed = 6,
	};
	made->base = (struct hp_side){ made_zeroed(base, sizeof(struct hp_run)), base, NULL };
	made->head = (struct hp_side){ made_zeroed(head, sizeof(struct hp_run)), head, NULL };
}

static inline void made_columns(struct hp_compared_section *section)
{
	const struct hp_metric *metrics = section->subject->metrics;

	while (metrics[section->column_count].name)
		section->column_count++;
	section->columns = made_zeroed(section->column_count, sizeof(*section->columns));
	for (size_t i = 0; i < section->column_count; i++) {
		section->columns[i].metric = &metrics[i];
		snprintf(section->columns[i].name, sizeof(section->columns[i].name), "%s",
			 metrics[i].name);
		snprintf(section->columns[i].header, sizeof(section->columns[i].header), "%s",
			 metrics[i].header);
	}
}

/* Valid until the next. */
static inline struct hp_compared_section *made_section(struct hp_comparison *made,
						       const struct hp_subject *subject)
{
	made->sections = reallocarray(made->sections, made->section_count + 1,
				      sizeof(*made->sections));
	if (!made->sections)
		abort();
	struct hp_compared_section *section = &made->sections[made->section_count++];
	*section = (struct hp_compared_section){ .subject = subject };
	made_columns(section);
	return section;
}

static inline double *made_values(size_t count, double value)
{
	double *values = made_zeroed(count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		values[i] = value;
	return values;
}

/* Valid until the next. No figure is known yet. */
static inline struct hp_compared_row *made_row(const struct hp_comparison *made,
					       struct hp_compared_section *section,
					       const char *name, enum hp_judged judged,
					       bool has_changed)
{
	section->rows = reallocarray(section->rows, section->row_count + 1, sizeof(*section->rows));
	if (!section->rows)
		abort();
	struct hp_compared_row *row = &section->rows[section->row_count++];
	*row = (struct hp_compared_row){
		.name = made_string(name), .share = 10, .judged = judged, .has_changed = has_changed
	};
	row->cells = made_zeroed(section->column_count, sizeof(*row->cells));
	for (size_t i = 0; i < section->column_count; i++)
		row->cells[i] =
			(struct hp_compared_cell){ .before = made_values(made->base.count, NAN),
						   .after = made_values(made->head.count, NAN),
						   .before_median = NAN,
						   .after_median = NAN,
						   .ratio = { NAN, NAN, NAN, false },
						   .is_stable = true };
	return row;
}

/* The same in all runs; the interval of a time is two percent to each side. */
static inline struct hp_compared_cell *made_cell(const struct hp_comparison *made,
						 const struct hp_compared_section *section,
						 struct hp_compared_row *row, size_t column,
						 double before, double after, enum hp_judged judged)
{
	bool is_exact = section->columns[column].metric->kind == HP_COMPARED_EXACT;
	double ratio = before == after ? 1 : after / before, wide = is_exact ? 0 : 0.02;
	struct hp_compared_cell *cell = &row->cells[column];

	for (size_t i = 0; i < made->base.count; i++)
		cell->before[i] = before;
	for (size_t i = 0; i < made->head.count; i++)
		cell->after[i] = after;
	cell->before_median = before;
	cell->after_median = after;
	cell->ratio = (struct hp_ratio){ ratio, ratio - wide, ratio + wide, false };
	cell->is_stable = is_exact;
	cell->judged = judged;
	return cell;
}

static inline void made_note(char ***sentences, size_t *count, const char *sentence)
{
	*sentences = reallocarray(*sentences, *count + 1, sizeof(**sentences));
	if (!*sentences)
		abort();
	(*sentences)[(*count)++] = made_string(sentence);
}

static inline void made_budget(struct hp_comparison *made, const char *name, const char *metric,
			       struct hp_budget budget)
{
	struct hp_budgets *budgets = &made->budgets;

	budgets->items = reallocarray(budgets->items, budgets->count + 1, sizeof(*budgets->items));
	if (!budgets->items)
		abort();
	budget.name = name ? made_string(name) : NULL;
	budget.metric = made_string(metric);
	budgets->items[budgets->count++] = budget;
}

static inline void made_strings_free(char **sentences, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(sentences[i]);
	free(sentences);
}

static inline void made_section_free(struct hp_compared_section *section)
{
	for (size_t i = 0; i < section->row_count; i++) {
		struct hp_compared_row *row = &section->rows[i];
		for (size_t j = 0; j < section->column_count; j++) {
			free(row->cells[j].before);
			free(row->cells[j].after);
		}
		free(row->cells);
		free(row->name);
		free(row->old_name);
		free(row->file);
	}
	free(section->rows);
	free(section->columns);
}

static inline void made_free(struct hp_comparison *made)
{
	for (size_t i = 0; i < made->section_count; i++)
		made_section_free(&made->sections[i]);
	for (size_t i = 0; i < made->budgets.count; i++) {
		free(made->budgets.items[i].name);
		free(made->budgets.items[i].metric);
	}
	free(made->budgets.items);
	free(made->sections);
	made_strings_free(made->notes, made->note_count);
	made_strings_free(made->failures, made->failure_count);
	free(made->base.runs);
	free(made->head.runs);
	*made = (struct hp_comparison){ 0 };
}

/* ---- the example ---- */

static inline void made_example_program(struct hp_comparison *made)
{
	struct hp_compared_section *section = made_section(made, &made_program);
	struct hp_compared_row *row = made_row(made, section, "program", HP_JUDGED_SLOWER, true);

	made_cell(made, section, row, 0, 1.2e9, 1.35e9, HP_JUDGED_SLOWER);
	made_cell(made, section, row, 1, 100000, 100020, HP_JUDGED_MORE);
}

/* A function that was called so often, and took so long by itself. */
static inline struct hp_compared_row *made_function(const struct hp_comparison *made,
						    struct hp_compared_section *section,
						    const char *name, enum hp_judged judged,
						    bool has_changed, double calls,
						    double calls_after, double self,
						    double self_after)
{
	struct hp_compared_row *row = made_row(made, section, name, judged, has_changed);
	enum hp_judged by_calls = calls == calls_after	? HP_JUDGED_SAME
				  : calls < calls_after ? HP_JUDGED_MORE
							: HP_JUDGED_LESS;

	made_cell(made, section, row, 0, calls, calls_after, by_calls);
	made_cell(made, section, row, 1, 2 * self, 2 * self_after, judged);
	made_cell(made, section, row, 2, self, self_after, judged);
	made_cell(made, section, row, 3, self / calls, self_after / calls_after, judged);
	return row;
}

static inline void made_example_timing(struct hp_comparison *made)
{
	struct hp_compared_section *section = made_section(made, &made_timing);
	struct hp_compared_row *row;

	made_function(made, section, "parse_expression", HP_JUDGED_SLOWER, true, 1000, 1000,
		      169.91e6, 190.4e6);
	made_function(made, section, "render", HP_JUDGED_FASTER, true, 50, 50, 80e6, 61e6);
	made_function(made, section, "lookup", HP_JUDGED_SAME, true, 1000, 1200, 20e6, 20.2e6);
	row = made_function(made, section, "read_all", HP_JUDGED_SAME, true, 7, 7, 5e6, 5e6);
	row->presence = HP_RENAMED;
	row->old_name = made_string("slurp");
	row = made_function(made, section, "fresh", HP_JUDGED_NOT, true, 0, 3, 0, 12e6);
	row->presence = HP_NEW;
	row = made_function(made, section, "gone", HP_JUDGED_NOT, true, 4, 0, 3e6, 0);
	row->presence = HP_REMOVED;
	made_function(made, section, "wait_for_it", HP_JUDGED_UNCLEAR, false, 10, 10, 90e6, 97e6);
	row = made_function(made, section, "hash", HP_JUDGED_SAME, false, 9000, 9000, 30e6, 30e6);
	row->file = made_string("src/table.c");
	row->line = 12;
	row = made_function(made, section, "hash", HP_JUDGED_SAME, false, 70, 71, 9e6, 9e6);
	row->file = made_string("src/set.c");
	row->line = 40;
	row->cells[0].is_stable = false;
	row->cells[0].judged = HP_JUDGED_UNCLEAR;
	row = made_function(made, section, "trifle", HP_JUDGED_NOT, false, 1, 2, 1e3, 2e3);
	row->is_minor = true;
	row->share = 0.01;
}

static inline void made_example_rest(struct hp_comparison *made)
{
	struct hp_compared_section *section = made_section(made, &made_alloc);
	struct hp_compared_row *row = made_row(made, section, "parse_expression", HP_JUDGED_MORE,
					       true);

	made_cell(made, section, row, 0, 1 << 20, (1 << 20) + 8, HP_JUDGED_MORE);
	made_cell(made, section, row, 1, 1000, 2000, HP_JUDGED_MORE);
	row = made_row(made, section, MADE_EVIL, HP_JUDGED_LESS, true);
	made_cell(made, section, row, 0, 64, 32, HP_JUDGED_LESS);
	made_cell(made, section, row, 1, 2, 1, HP_JUDGED_LESS);
	section = made_section(made, &made_gauges);
	row = made_row(made, section, "depth", HP_JUDGED_SAME, false);
	row->share = -1;
	made_cell(made, section, row, 0, 2.5, -7.25, HP_JUDGED_NOT);
	made_cell(made, section, row, 1, 6, 6, HP_JUDGED_SAME);
}

static inline void made_example_end(struct hp_comparison *made)
{
	made->budgets.path = "hotpath-budget.json";
	made_budget(made, "render", "self",
		    (struct hp_budget){
			    .limit = 100e6, .is_known = true, .value = 61e6, .unit = HP_UNIT_NS });
	made_budget(made, NULL, "elapsed",
		    (struct hp_budget){ .limit = 0.1,
					.is_relative = true,
					.is_known = true,
					.value = 0.125,
					.unit = HP_UNIT_NS,
					.is_broken = true });
	made_budget(made, "nobody", "bytes", (struct hp_budget){ .limit = 1 });
	made_note(&made->notes, &made->note_count,
		  "the machines differ: base ran on 4 cores, head on 8");
	made_note(&made->failures, &made->failure_count, "parse_expression is slower");
	made_note(&made->failures, &made->failure_count, "the whole program is over its budget");
}

static inline void made_example(struct hp_comparison *made)
{
	made_start(made, 10, 10);
	made_example_program(made);
	made_example_timing(made);
	made_example_rest(made);
	made_example_end(made);
}

#endif
