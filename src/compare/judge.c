/* SPDX-License-Identifier: MIT */
/* Turns the values of all runs into verdicts: first of cells, then of rows. */
#include "judge.h"

#include "row_order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* With too few runs, a time must differ by this share of the whole program's time. */
#define GUESS_SHARE 0.25

/* The known values of a cell, by side, with room for all runs. */
struct known {
	double *before;
	size_t before_count;
	double *after;
	size_t after_count;
};

/* What cells are judged by. */
struct scale {
	double threshold;
	/** Windows are compared: their counts vary with the moment, so that a small difference of those is none. */
	bool is_of_windows;
	/** Time of the whole program, of the slower side. */
	double whole_ns;
};

static bool is_on_both_sides(const struct hp_compared_row *row)
{
	return row->presence == HP_PRESENT || row->presence == HP_RENAMED;
}

static size_t copy_known(double *into, const double *values, size_t count)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i]))
			into[known++] = values[i];
	return known;
}

static bool are_equal(const double *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

static void take_known(const struct hp_comparison *comparison, const struct hp_compared_cell *cell,
		       struct known *known)
{
	known->before_count = copy_known(known->before, cell->before, comparison->base.count);
	known->after_count = copy_known(known->after, cell->after, comparison->head.count);
}

/* Whether the value is equal in all runs of a side. */
static bool is_steady(const struct known *known)
{
	return are_equal(known->before, known->before_count) &&
	       are_equal(known->after, known->after_count);
}

static bool is_any_negative(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] < 0)
			return true;
	return false;
}

/* Whether the whole interval is above 1, or below 1. */
static bool is_beside_1(const struct hp_ratio *ratio)
{
	return ratio->low > 1 || ratio->high < 1;
}

static bool is_within(double ratio, double threshold)
{
	return ratio >= 1 - threshold && ratio <= 1 + threshold;
}

static enum hp_judged changed(const struct hp_metric *metric, bool is_more)
{
	if (metric->kind == HP_COMPARED_TIME)
		return is_more ? HP_JUDGED_SLOWER : HP_JUDGED_FASTER;
	return is_more ? HP_JUDGED_MORE : HP_JUDGED_LESS;
}

/* With too few runs, other activity of the system may explain the whole difference. */
static bool is_too_little(const struct hp_compared_cell *cell, const struct hp_metric *metric,
			  double whole_ns)
{
	return metric->kind == HP_COMPARED_TIME && cell->ratio.is_guess &&
	       !(fabs(cell->after_median - cell->before_median) > GUESS_SHARE * whole_ns);
}

static enum hp_judged judge_by_interval(const struct hp_compared_cell *cell,
					const struct hp_metric *metric, const struct scale *scale)
{
	const struct hp_ratio *ratio = &cell->ratio;
	double threshold = scale->threshold;
	/* For exact figures of runs, any difference counts. */
	bool is_exact = metric->kind == HP_COMPARED_EXACT && !scale->is_of_windows;
	double least = is_exact ? 0 : threshold;
	bool is_beside = is_beside_1(ratio);

	if (hp_compared_cell_is_vague(cell) || is_too_little(cell, metric, scale->whole_ns))
		return HP_JUDGED_UNCLEAR;
	/* More windows come by themselves, so none is guessed from few. */
	if (scale->is_of_windows && ratio->is_guess)
		return HP_JUDGED_UNCLEAR;
	if (is_beside && !is_within(ratio->estimate, least))
		return changed(metric, ratio->low > 1);
	if (ratio->is_guess)
		return HP_JUDGED_UNCLEAR;
	if (is_beside || (is_within(ratio->low, threshold) && is_within(ratio->high, threshold)))
		return HP_JUDGED_SAME;
	return HP_JUDGED_UNCLEAR;
}

static enum hp_judged judge_cell(const struct hp_compared_cell *cell, const struct known *known,
				 const struct hp_metric *metric, const struct scale *scale)
{
	double before = known->before[0], after = known->after[0];

	if (hp_metric_is_neutral(metric, scale->is_of_windows)) {
		return before == after && is_steady(known) ? HP_JUDGED_SAME : HP_JUDGED_NOT;
	}
	if (isnan(cell->ratio.estimate))
		return HP_JUDGED_NOT;
	if (!cell->is_stable)
		return judge_by_interval(cell, metric, scale);
	return before == after ? HP_JUDGED_SAME : changed(metric, after > before);
}

/* Negative values have no ratio; ratios of stable exact figures have no bounds. */
static int find_ratio(struct hp_ratio_ranks *ranks, const struct known *known,
		      struct hp_compared_cell *cell)
{
	if (is_any_negative(known->before, known->before_count) ||
	    is_any_negative(known->after, known->after_count))
		return 0;
	if (!cell->is_stable)
		return hp_ratio(ranks, known->before, known->before_count, known->after,
				known->after_count, &cell->ratio);
	double exact = hp_ratio_of(known->before[0], known->after[0]);
	cell->ratio = (struct hp_ratio){ exact, exact, exact, false };
	return 0;
}

/* Whether an exact figure needs no interval: of windows, some may not have it, so that one value is none that is always there. */
static bool is_stable(const struct hp_comparison *comparison, const struct known *known)
{
	size_t least = hp_side_is_of_windows(&comparison->base) ? comparison->runs_needed : 1;

	return known->before_count >= least && known->after_count >= least && is_steady(known);
}

static void fill_cell(const struct hp_comparison *comparison, const struct hp_metric *metric,
		      struct known *known, struct hp_compared_cell *cell)
{
	take_known(comparison, cell, known);
	cell->before_median = hp_median(known->before, known->before_count);
	cell->after_median = hp_median(known->after, known->after_count);
	cell->is_stable = metric->kind == HP_COMPARED_EXACT && is_stable(comparison, known);
	cell->ratio = (struct hp_ratio){ NAN, NAN, NAN, false };
	cell->judged = HP_JUDGED_NOT;
}

static int judge_cells(const struct hp_comparison *comparison,
		       const struct hp_compared_section *section, const struct scale *scale,
		       struct hp_ratio_ranks *ranks, struct known *known,
		       struct hp_compared_row *row)
{
	for (size_t i = 0; i < section->column_count; i++) {
		const struct hp_metric *metric = section->columns[i].metric;
		struct hp_compared_cell *cell = &row->cells[i];

		fill_cell(comparison, metric, known, cell);
		if (!is_on_both_sides(row) || !known->before_count || !known->after_count)
			continue;
		if (find_ratio(ranks, known, cell))
			return -ENOMEM;
		cell->judged = judge_cell(cell, known, metric, scale);
	}
	return 0;
}

/* The cell of the deciding figure; NULL if there is none. */
static const struct hp_compared_cell *deciding_cell(const struct hp_compared_section *section,
						    const struct hp_compared_row *row)
{
	for (size_t i = 0; i < section->column_count; i++)
		if (section->columns[i].metric->decides)
			return &row->cells[i];
	return NULL;
}

static enum hp_judged judge_by_exact(const struct hp_compared_section *section,
				     const struct hp_compared_row *row)
{
	static const enum hp_judged order[] = { HP_JUDGED_MORE, HP_JUDGED_LESS, HP_JUDGED_UNCLEAR,
						HP_JUDGED_SAME };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (hp_compared_row_has(section, row, order[i]))
			return order[i];
	return HP_JUDGED_NOT;
}

/* Whether a time may have changed. */
static bool has_other_time(const struct hp_compared_section *section,
			   const struct hp_compared_row *row)
{
	for (size_t i = 0; i < section->column_count; i++)
		if (section->columns[i].metric->kind == HP_COMPARED_TIME &&
		    row->cells[i].judged > HP_JUDGED_SAME)
			return true;
	return false;
}

/* The figure that decides is not known: counts do. If they are the same, times may still differ, but none of these decides. */
static enum hp_judged judge_without_deciding(const struct hp_compared_section *section,
					     const struct hp_compared_row *row)
{
	enum hp_judged judged = judge_by_exact(section, row);

	return judged == HP_JUDGED_SAME && has_other_time(section, row) ? HP_JUDGED_UNCLEAR
									: judged;
}

static void judge_row(const struct hp_compared_section *section, struct hp_compared_row *row)
{
	const struct hp_compared_cell *deciding = deciding_cell(section, row);

	row->judged = HP_JUDGED_NOT;
	row->has_changed = false;
	if (row->is_minor)
		return;
	row->judged = deciding ? deciding->judged : HP_JUDGED_NOT;
	if (row->judged == HP_JUDGED_NOT)
		row->judged = judge_without_deciding(section, row);
	row->has_changed = row->presence != HP_PRESENT || row->judged == HP_JUDGED_SLOWER ||
			   row->judged == HP_JUDGED_FASTER ||
			   hp_compared_row_has(section, row, HP_JUDGED_MORE) ||
			   hp_compared_row_has(section, row, HP_JUDGED_LESS);
}

static int judge_section(const struct hp_comparison *comparison,
			 struct hp_compared_section *section, const struct scale *scale,
			 struct hp_ratio_ranks *ranks, struct known *known)
{
	for (size_t i = 0; i < section->row_count; i++) {
		if (judge_cells(comparison, section, scale, ranks, known, &section->rows[i]))
			return -ENOMEM;
		judge_row(section, &section->rows[i]);
	}
	return hp_row_order(section);
}

/* Whether the verdict of its row may depend on the interval of a cell. */
static bool is_interval_judged(const struct hp_metric *metric, const struct known *known,
			       bool is_of_windows)
{
	bool is_neutral = hp_metric_is_neutral(metric, is_of_windows);

	if (!known->before_count || !known->after_count)
		return false;
	return (metric->decides && !(is_neutral && is_of_windows)) ||
	       (metric->kind == HP_COMPARED_EXACT && !is_neutral && !is_steady(known));
}

static size_t count_intervals(const struct hp_comparison *comparison,
			      const struct hp_compared_section *section,
			      const struct hp_compared_row *row, struct known *known)
{
	size_t count = 0;

	if (row->is_minor || !is_on_both_sides(row))
		return 0;
	for (size_t i = 0; i < section->column_count; i++) {
		take_known(comparison, &row->cells[i], known);
		count += is_interval_judged(section->columns[i].metric, known,
					    hp_side_is_of_windows(&comparison->base));
	}
	return count;
}

/*
 * Bonferroni correction: the more intervals there are, the higher the confidence of each must be, so that all hold
 * together.
 */
static void set_confidence(struct hp_comparison *comparison, struct known *known)
{
	comparison->judged_count = 0;
	for (size_t i = 0; i < comparison->section_count; i++) {
		const struct hp_compared_section *section = &comparison->sections[i];
		for (size_t j = 0; j < section->row_count; j++) {
			struct hp_compared_row *row = &section->rows[j];
			row->is_minor = row->share >= 0 &&
					row->share < comparison->options.min_share;
			comparison->judged_count += count_intervals(comparison, section, row,
								    known);
		}
	}

	double count = comparison->judged_count ? (double)comparison->judged_count : 1;
	comparison->row_confidence = 1 - (1 - comparison->options.confidence) / count;
	comparison->runs_needed = hp_ratio_runs_needed(comparison->row_confidence);
}

/* The whole program is the first section. */
static struct scale find_scale(const struct hp_comparison *comparison, struct known *known)
{
	struct scale scale = { comparison->options.threshold,
			       hp_side_is_of_windows(&comparison->base), 0 };
	const struct hp_compared_section *program = comparison->sections;
	const struct hp_compared_cell *elapsed = comparison->section_count
							 ? deciding_cell(program, program->rows)
							 : NULL;
	/* Reports from other tools may not have the elapsed time. */
	if (!elapsed)
		return scale;

	take_known(comparison, elapsed, known);
	scale.whole_ns = fmax(hp_median(known->before, known->before_count),
			      hp_median(known->after, known->after_count));
	return scale;
}

static int judge_all(struct hp_comparison *comparison, struct known *known)
{
	set_confidence(comparison, known);

	struct scale scale = find_scale(comparison, known);
	struct hp_ratio_ranks ranks = { .confidence = comparison->row_confidence };
	int failed = 0;

	for (size_t i = 0; i < comparison->section_count && !failed; i++)
		failed = judge_section(comparison, &comparison->sections[i], &scale, &ranks, known);
	hp_ratio_ranks_clear(&ranks);
	return failed;
}

int hp_judge(struct hp_comparison *comparison)
{
	struct known known = {
		.before = calloc(comparison->base.count + 1, sizeof(double)),
		.after = calloc(comparison->head.count + 1, sizeof(double)),
	};
	int failed = known.before && known.after ? judge_all(comparison, &known) : -ENOMEM;

	free(known.before);
	free(known.after);
	return failed;
}
