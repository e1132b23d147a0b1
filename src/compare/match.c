/* SPDX-License-Identifier: MIT */
/* Builds the sections of a comparison from pairs of rows, with the figures of all runs. */
#include "match.h"

#include "format.h"
#include "pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

static double value_of(const struct hp_pairs *pairs, const struct hp_occurrence *found,
		       const struct hp_metric *metric, double percent)
{
	return hp_metric_value(metric, hp_pairs_run(pairs->comparison, found->run), found->at,
			       percent);
}

static bool is_known(const struct hp_pairs *pairs, const struct hp_metric *metric, double percent)
{
	for (size_t i = 0; i < pairs->found_count; i++)
		if (!isnan(value_of(pairs, &pairs->found[i], metric, percent)))
			return true;
	return false;
}

/* "p99.9"; and what stands before it. */
static void name_percentile(char *name, size_t size, const char *prefix, char letter,
			    double percent)
{
	struct hp_figure number = hp_format_decimal(percent);

	snprintf(name, size, "%s%c%.18s", prefix, letter, number.text);
}

static struct hp_compared_column column_of(const struct hp_metric *metric, double percent)
{
	struct hp_compared_column column = { .metric = metric, .percent = percent };

	if (metric->is_percentile) {
		name_percentile(column.name, sizeof(column.name), metric->name, 'p', percent);
		name_percentile(column.header, sizeof(column.header), metric->header, 'P', percent);
	} else {
		snprintf(column.name, sizeof(column.name), "%s", metric->name);
		snprintf(column.header, sizeof(column.header), "%s", metric->header);
	}
	return column;
}

static size_t count_metrics(const struct hp_subject *subject)
{
	size_t count = 0;

	while (subject->metrics[count].name)
		count++;
	return count;
}

/* Make a column for each metric that is known in any run. */
static int make_columns(struct hp_compared_section *section, const struct hp_pairs *pairs)
{
	const struct hp_compare_options *options = &pairs->comparison->options;
	size_t metrics = count_metrics(pairs->subject);

	section->columns = calloc(metrics * (options->percentile_count + 1) + 1,
				  sizeof(*section->columns));
	if (!section->columns)
		return -ENOMEM;
	for (size_t i = 0; i < metrics; i++) {
		const struct hp_metric *metric = &pairs->subject->metrics[i];
		unsigned times = metric->is_percentile ? options->percentile_count : 1;
		for (unsigned j = 0; j < times; j++) {
			double percent = metric->is_percentile ? options->percentiles[j] : 0;
			if (is_known(pairs, metric, percent))
				section->columns[section->column_count++] = column_of(metric,
										      percent);
		}
	}
	return 0;
}

/* ---- figures ---- */

static const struct hp_side *side_of(const struct hp_comparison *comparison, unsigned side)
{
	return side == HP_BASE ? &comparison->base : &comparison->head;
}

/* Where the runs of a side begin. */
static size_t first_run(const struct hp_comparison *comparison, unsigned side)
{
	return side == HP_BASE ? 0 : comparison->base.count;
}

/* The value for a run that lacks the row. */
static double missing(const struct hp_pairs *pairs, const struct hp_metric *metric, size_t run)
{
	const struct hp_run *of = hp_pairs_run(pairs->comparison, run);
	/* Without calls there is nothing to divide by. */
	bool needs_row = metric->needs_row ||
			 (of->is_window && metric->per && metric->per != HP_PER_SECOND);
	bool is_none = pairs->recorded[run] && !needs_row && !of->report.is_cut;

	return is_none ? 0 : NAN;
}

static double *values_of(const struct hp_pairs *pairs, const struct hp_pair *pair, unsigned side,
			 const struct hp_compared_column *column)
{
	const struct hp_occurrence *found = &pairs->found[pair->first[side]];
	size_t runs = side_of(pairs->comparison, side)->count;
	size_t first = first_run(pairs->comparison, side);
	double *values = calloc(runs + 1, sizeof(*values));
	if (!values)
		return NULL;

	for (size_t i = 0; i < runs; i++)
		values[i] = missing(pairs, column->metric, first + i);
	for (size_t i = 0; i < pair->count[side]; i++)
		values[found[i].run - first] = NAN;
	for (size_t i = 0; i < pair->count[side]; i++) {
		double value = value_of(pairs, &found[i], column->metric, column->percent);
		double *sum = &values[found[i].run - first];
		if (!isnan(value))
			*sum = isnan(*sum) ? value : *sum + value;
	}
	return values;
}

/* The median share over the runs that recorded it; negative if there is none. */
static double share_of(const struct hp_pairs *pairs, const struct hp_pair *pair, unsigned side,
		       double *room)
{
	const struct hp_occurrence *found = &pairs->found[pair->first[side]];
	size_t count = 0, next = 0;
	size_t first = first_run(pairs->comparison, side);
	size_t end = first + side_of(pairs->comparison, side)->count;

	for (size_t run = first; run < end; run++) {
		if (!pairs->recorded[run])
			continue;
		room[count] = 0;
		for (; next < pair->count[side] && found[next].run == run; next++) {
			if (found[next].share < 0)
				return -1;
			room[count] += found[next].share;
		}
		count++;
	}
	return pair->count[side] ? hp_median(room, count) : -1;
}

/* ---- rows ---- */

/* Describe the row of one occurrence. */
static void describe(const struct hp_pairs *pairs, const struct hp_pair *pair, unsigned side,
		     struct hp_subject_row *row)
{
	const struct hp_occurrence *found = &pairs->found[pair->first[side]];
	const struct hp_run *run = hp_pairs_run(pairs->comparison, found->run);

	*row = (struct hp_subject_row){ .name = NULL };
	hp_subject_get(pairs->subject, run->report.model, found->at, row);
}

static bool copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static bool is_cut(const struct hp_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (side->runs[i].report.is_cut)
			return true;
	return false;
}

/* How many runs of a side have the row. */
static size_t count_runs(const struct hp_pairs *pairs, const struct hp_pair *pair, unsigned side)
{
	const struct hp_occurrence *found = &pairs->found[pair->first[side]];
	size_t count = 0;

	for (size_t i = 0; i < pair->count[side]; i++)
		count += i == 0 || found[i].run != found[i - 1].run;
	return count;
}

/*
 * For a row on one side only. If the other report was cut to its largest rows, it is not known whether it had it; and what happens
 * now and then is in some windows by chance.
 */
static enum hp_presence presence_of(const struct hp_pairs *pairs, const struct hp_pair *pair,
				    unsigned side)
{
	const struct hp_comparison *comparison = pairs->comparison;
	const struct hp_side *runs = side_of(comparison, side);

	if (is_cut(side_of(comparison, !side)))
		return HP_PRESENT;
	if (hp_side_is_of_windows(runs) && count_runs(pairs, pair, side) * 2 <= runs->count)
		return HP_PRESENT;
	return side == HP_BASE ? HP_REMOVED : HP_NEW;
}

static bool name_row(struct hp_compared_row *row, const struct hp_pairs *pairs,
		     const struct hp_pair *pair)
{
	unsigned side = pair->count[HP_HEAD] ? HP_HEAD : HP_BASE;
	struct hp_subject_row now, before;

	describe(pairs, pair, side, &now);
	row->line = now.line;
	row->presence = presence_of(pairs, pair, side);
	if (!copy(&row->name, now.name) || !copy(&row->file, now.file))
		return false;
	if (!pair->count[HP_BASE] || !pair->count[HP_HEAD])
		return true;

	describe(pairs, pair, HP_BASE, &before);
	bool is_same = now.is_program || strcmp(before.name, now.name) == 0;
	row->presence = is_same ? HP_PRESENT : HP_RENAMED;
	return is_same || copy(&row->old_name, before.name);
}

/* The highest minimum over all runs. For windows, per call of the row, of those that have it. */
static double least_of(const struct hp_pairs *pairs, const struct hp_pair *pair,
		       const struct hp_metric *metric)
{
	const struct hp_comparison *comparison = pairs->comparison;
	size_t runs = comparison->base.count + comparison->head.count;
	double least = 0;

	if (!metric->least)
		return 0;
	for (size_t i = 0; i < runs && !hp_side_is_of_windows(&comparison->base); i++)
		least = fmax(least, metric->least(hp_pairs_run(comparison, i)));
	for (unsigned side = 0; side < 2 && hp_side_is_of_windows(&comparison->base); side++)
		for (size_t i = 0; i < pair->count[side]; i++) {
			const struct hp_occurrence *found = &pairs->found[pair->first[side] + i];
			least = fmax(least,
				     hp_metric_least(metric, hp_pairs_run(comparison, found->run),
						     found->at));
		}
	return least;
}

static const char *per_of(const struct hp_pairs *pairs, const struct hp_pair *pair,
			  const struct hp_metric *metric)
{
	unsigned side = pair->count[HP_HEAD] ? HP_HEAD : HP_BASE;
	const struct hp_occurrence *found = &pairs->found[pair->first[side]];

	return hp_metric_per(metric, hp_pairs_run(pairs->comparison, found->run), found->at);
}

static bool fill_cells(struct hp_compared_row *row, const struct hp_compared_section *section,
		       const struct hp_pairs *pairs, const struct hp_pair *pair)
{
	for (size_t i = 0; i < section->column_count; i++) {
		struct hp_compared_cell *cell = &row->cells[i];

		cell->before_median = cell->after_median = NAN;
		cell->per = per_of(pairs, pair, section->columns[i].metric);
		cell->least = least_of(pairs, pair, section->columns[i].metric);
		cell->ratio = (struct hp_ratio){ NAN, NAN, NAN, false };
		cell->before = values_of(pairs, pair, HP_BASE, &section->columns[i]);
		cell->after = values_of(pairs, pair, HP_HEAD, &section->columns[i]);
		if (!cell->before || !cell->after)
			return false;
	}
	return true;
}

/* The section owns a row as soon as it has cells, so that everything is freed with it. */
static int add_row(struct hp_compared_section *section, const struct hp_pairs *pairs,
		   const struct hp_pair *pair, double *room)
{
	struct hp_compared_row *row = &section->rows[section->row_count];
	double base = share_of(pairs, pair, HP_BASE, room);
	double head = share_of(pairs, pair, HP_HEAD, room);

	row->cells = calloc(section->column_count + 1, sizeof(*row->cells));
	if (!row->cells)
		return -ENOMEM;
	section->row_count++;
	row->share = base > head ? base : head;
	bool done = name_row(row, pairs, pair) && fill_cells(row, section, pairs, pair);
	return done ? 0 : -ENOMEM;
}

static int fill_section(struct hp_compared_section *section, const struct hp_pairs *pairs)
{
	size_t runs = pairs->comparison->base.count + pairs->comparison->head.count;
	double *room = calloc(runs + 1, sizeof(*room));
	int failed = room ? make_columns(section, pairs) : -ENOMEM;

	section->subject = pairs->subject;
	if (!failed) {
		section->rows = calloc(pairs->count + 1, sizeof(*section->rows));
		failed = section->rows ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < pairs->count && !failed; i++)
		failed = add_row(section, pairs, &pairs->items[i], room);
	free(room);
	return failed;
}

/* ---- sections ---- */

bool hp_match_wants(const struct hp_compare_options *options, const struct hp_subject *subject)
{
	size_t nth = 0;

	if (subject == &hp_subject_program)
		return true;
	while (hp_subjects[nth] != subject)
		nth++;
	return options->subjects ? options->subjects >> nth & 1 : !subject->is_optional;
}

/* If one side did not record the subject, there is no section. */
static int add_section(struct hp_comparison *comparison, const struct hp_subject *subject,
		       const struct hp_renamings *renamings)
{
	struct hp_pairs pairs;
	int failed = hp_pairs_make(&pairs, comparison, subject, renamings);

	if (!failed && pairs.runs[HP_BASE] && pairs.runs[HP_HEAD] && pairs.count)
		failed = fill_section(&comparison->sections[comparison->section_count++], &pairs);
	hp_pairs_free(&pairs);
	return failed;
}

/* Renamed functions are only recognised by their calls. */
static int find_renamings(const struct hp_comparison *comparison, struct hp_renamings *renamings)
{
	struct hp_pairs pairs;
	int failed = hp_pairs_make(&pairs, comparison, &hp_subject_timing, NULL);

	*renamings = (struct hp_renamings){ NULL, 0 };
	if (!failed)
		failed = hp_renamings_find(renamings, &pairs);
	hp_pairs_free(&pairs);
	return failed;
}

static int prepare(const struct hp_comparison *comparison, const struct hp_subject *subject)
{
	size_t runs = comparison->base.count + comparison->head.count;
	int failed = 0;

	for (size_t i = 0; subject->prepare && i < runs && !failed; i++)
		failed = subject->prepare(hp_pairs_run(comparison, i)->report.model);
	return failed;
}

int hp_match(struct hp_comparison *comparison)
{
	struct hp_renamings renamings;
	size_t subjects = 0;
	int failed = 0;

	for (; hp_subjects[subjects] && !failed; subjects++)
		failed = prepare(comparison, hp_subjects[subjects]);
	comparison->sections = calloc(subjects + 1, sizeof(*comparison->sections));
	if (failed || !comparison->sections)
		return -ENOMEM;
	failed = find_renamings(comparison, &renamings);
	for (size_t i = 0; i < subjects && !failed; i++)
		if (hp_match_wants(&comparison->options, hp_subjects[i]))
			failed = add_section(comparison, hp_subjects[i], &renamings);
	hp_renamings_free(&renamings);
	return failed;
}
