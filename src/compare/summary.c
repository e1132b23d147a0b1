/* SPDX-License-Identifier: MIT */
/* Text about a comparison besides its rows. */
#include "summary.h"

#include "arithmetic.h"
#include "cell_text.h"
#include "format.h"
#include "row_text.h"

#include <math.h>
#include <string.h>

#include <string.h>

/* ---- how often each verdict is there ---- */

struct part {
	size_t count;
	const char *word;
};

/*
 * Write the parts that are not 0, separated by commas, with a prefix before the first; returns whether there was any.
 */
static bool put_parts(const struct part *parts, const char *before, struct hp_text *text)
{
	bool any = false;

	for (; parts->word; parts++) {
		if (!parts->count)
			continue;
		hp_text_printf(text, "%s%zu %s", any ? ", " : before, parts->count, parts->word);
		any = true;
	}
	return any;
}

const struct hp_compared_row *hp_compare_program(const struct hp_comparison *comparison)
{
	if (!comparison->section_count || !comparison->sections[0].row_count)
		return NULL;
	return &comparison->sections[0].rows[0];
}

static enum hp_judged program_verdict(const struct hp_comparison *comparison)
{
	const struct hp_compared_row *program = hp_compare_program(comparison);

	return program ? program->judged : HP_JUDGED_NOT;
}

static bool has_changed(const struct hp_comparison *comparison,
			const struct hp_compare_counts *counts)
{
	return program_verdict(comparison) >= HP_JUDGED_FASTER || counts->slower ||
	       counts->faster || counts->more || counts->less || counts->created ||
	       counts->removed || counts->renamed;
}

static void put_unchanged(const struct hp_comparison *comparison,
			  const struct hp_compare_counts *counts, struct hp_text *text)
{
	const struct part parts[] = { { counts->unclear, "unclear" },
				      { counts->same, "same" },
				      { counts->not_compared, "not compared" },
				      { 0, NULL } };
	enum hp_judged program = program_verdict(comparison);

	if (counts->unclear || counts->not_compared || program == HP_JUDGED_UNCLEAR)
		hp_text_puts(text, "nothing is known to have changed");
	else if (counts->same || program == HP_JUDGED_SAME)
		hp_text_puts(text, "nothing changed");
	else
		hp_text_puts(text, "nothing to compare");
	put_parts(parts, ", ", text);
}

/* "whole program slower (+19.5 %)". */
static void put_program(const struct hp_comparison *comparison, struct hp_text *text)
{
	const struct hp_compared_section *section = &comparison->sections[0];
	size_t deciding = hp_compare_deciding(section);

	hp_text_printf(text, "whole program %s", hp_judged_name(section->rows[0].judged));
	if (deciding != HP_NO_COLUMN && isfinite(section->rows[0].cells[deciding].ratio.estimate))
		hp_text_printf(
			text, " (%s %%)",
			hp_format_change(section->rows[0].cells[deciding].ratio.estimate).text);
}

static void put_changed(const struct hp_comparison *comparison,
			const struct hp_compare_counts *counts, struct hp_text *text)
{
	const struct part times[] = { { counts->slower, "slower" },
				      { counts->faster, "faster" },
				      { counts->unclear, "unclear" },
				      { counts->same, "same" },
				      { counts->not_compared, "not compared" },
				      { 0, NULL } };
	const struct part exact[] = { { counts->more, "with higher counts" },
				      { counts->less, "with lower counts" },
				      { 0, NULL } };
	const struct part presence[] = { { counts->created, "new" },
					 { counts->removed, "removed" },
					 { counts->renamed, "renamed" },
					 { 0, NULL } };
	enum hp_judged program = program_verdict(comparison);
	bool any = program >= HP_JUDGED_FASTER;

	if (any)
		put_program(comparison, text);
	any |= put_parts(times, any ? "; " : "", text);
	any |= put_parts(exact, any ? "; " : "", text);
	put_parts(presence, any ? "; " : "", text);
}

void hp_compare_put_summary(const struct hp_comparison *comparison, struct hp_text *text)
{
	struct hp_compare_counts counts = hp_compare_count(comparison);

	if (has_changed(comparison, &counts))
		put_changed(comparison, &counts, text);
	else
		put_unchanged(comparison, &counts, text);
}

void hp_compare_put_title(const struct hp_subject *subject, struct hp_text *text)
{
	if (strcmp(subject->name, subject->title) != 0)
		hp_text_printf(text, " - %s", subject->title);
}

/* ---- runs, and what they are enough for ---- */

static const char *runs(size_t count)
{
	return count == 1 ? "run" : "runs";
}

void hp_compare_put_runs(const struct hp_comparison *comparison, struct hp_text *text)
{
	size_t base = comparison->base.count, head = comparison->head.count;

	if (base == head)
		hp_text_printf(text, "%zu %s each", base, runs(base));
	else
		hp_text_printf(text, "%zu %s of base, %zu of head", base, runs(base), head);
	hp_text_printf(text, "; times within ±%s %% count as the same",
		       hp_format_number(100 * comparison->options.threshold).text);
}

static size_t fewest_runs(const struct hp_comparison *comparison)
{
	return hp_min(comparison->base.count, comparison->head.count);
}

static void put_unclear(const struct hp_comparison *comparison, struct hp_text *text)
{
	size_t count = fewest_runs(comparison);

	if (comparison->runs_needed > count) {
		hp_text_printf(text, "times need %zu runs of each side to be judged (there %s %zu)",
			       comparison->runs_needed, count == 1 ? "is" : "are", count);
		return;
	}
	hp_text_puts(text, "unclear: the runs differ too much to tell; more runs would help");
	if (comparison->base.command && comparison->head.command && 2 * count <= HP_RUNS_MAX)
		hp_text_printf(text, " (--runs %zu)", 2 * count);
}

/* ---- the legend ---- */

static bool has_unclear(const struct hp_comparison *comparison,
			const struct hp_compare_counts *counts)
{
	return counts->unclear || program_verdict(comparison) == HP_JUDGED_UNCLEAR;
}

static bool is_vague(const struct hp_compared_section *section, const struct hp_compared_row *row)
{
	for (size_t i = 0; i < section->column_count; i++)
		if (row->cells[i].judged == HP_JUDGED_UNCLEAR &&
		    hp_compared_cell_is_vague(&row->cells[i]))
			return !row->is_minor;
	return false;
}

static bool has_vague(const struct hp_comparison *comparison)
{
	for (size_t i = 0; i < comparison->section_count; i++) {
		const struct hp_compared_section *section = &comparison->sections[i];
		for (size_t row = 0; row < section->row_count; row++)
			if (is_vague(section, &section->rows[row]))
				return true;
	}
	return false;
}

static void put_minor(const struct hp_comparison *comparison, size_t count, struct hp_text *text)
{
	hp_text_printf(text, "%zu %s below %s %% on both sides: left out of the verdict", count,
		       count == 1 ? "row is" : "rows are",
		       hp_format_number(comparison->options.min_share).text);
}

void hp_compare_put_legend(const struct hp_comparison *comparison, struct hp_legend legend,
			   const char *before, struct hp_text *text)
{
	struct hp_compare_counts counts = hp_compare_count(comparison);

	if (has_unclear(comparison, &counts)) {
		hp_text_puts(text, before);
		put_unclear(comparison, text);
		hp_text_putc(text, '\n');
	}
	if (has_vague(comparison))
		hp_text_printf(text,
			       "%sCPU time with few samples is unclear: longer runs, or a higher "
			       "--rate, would help\n",
			       before);
	if (legend.has_intervals)
		hp_text_printf(text,
			       "%sinterval: contains the true change, with %s %% confidence for "
			       "all rows together\n",
			       before, hp_format_number(100 * comparison->options.confidence).text);
	if (legend.has_unstable)
		hp_text_printf(text, "%s~ differs between runs of one side\n", before);
	if (counts.minor) {
		hp_text_puts(text, before);
		put_minor(comparison, counts.minor, text);
		hp_text_putc(text, '\n');
	}
}

/* ---- budgets, and the end ---- */

const char *hp_budget_verdict(const struct hp_budget *budget)
{
	if (!budget->is_known)
		return "not measured";
	if (budget->is_unclear)
		return "unclear";
	return budget->is_broken ? "broken" : "kept";
}

void hp_compare_put_budget_counts(const struct hp_budgets *budgets, struct hp_text *text)
{
	struct part parts[] = {
		{ 0, "kept" }, { 0, "broken" }, { 0, "unclear" }, { 0, "not measured" }, { 0, NULL }
	};

	for (size_t i = 0; i < budgets->count; i++)
		for (struct part *part = parts; part->word; part++)
			part->count += strcmp(part->word, hp_budget_verdict(&budgets->items[i])) ==
				       0;
	put_parts(parts, "", text);
}

void hp_compare_put_budget_figure(const struct hp_budget *budget, double figure,
				  struct hp_text *text)
{
	if (!budget->is_known)
		hp_text_putc(text, '-');
	else if (budget->is_relative)
		hp_text_printf(text, "%s %%", hp_format_change(1 + figure).text);
	else
		hp_compare_put_value(figure, budget->unit, text);
}

void hp_compare_put_passed(const struct hp_comparison *comparison, struct hp_text *text)
{
	static const char *const sentences[] = {
		[HP_FAIL_ON_SLOWER] = "no regression: nothing is known to be slower",
		[HP_FAIL_ON_ALLOC] = "no regression: nothing allocates more",
		[HP_FAIL_ON_ANY] = "no regression: nothing is known to be slower or higher",
		[HP_FAIL_ON_NONE] = "regressions were not checked (--fail-on none)",
	};

	hp_text_puts(text, sentences[comparison->options.fail_on]);
	if (comparison->budgets.count)
		hp_text_puts(text, "; no budget is broken");
}
