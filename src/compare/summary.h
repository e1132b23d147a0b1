/* SPDX-License-Identifier: MIT */
/* Text about a comparison besides its rows, for the table and for markdown. It contains no untrusted strings. */
#ifndef HP_SUMMARY_H
#define HP_SUMMARY_H

#include "comparison.h"
#include "text.h"

/** "1 slower, 2 faster, 9 same; counts: 2 more; 1 new", or "nothing changed, 12 same". */
void hp_compare_put_summary(const struct hp_comparison *comparison, struct hp_text *text);

/** "10 runs each; times within ±5 % count as the same". */
void hp_compare_put_runs(const struct hp_comparison *comparison, struct hp_text *text);

/** The row of the whole program, whose section is the first; NULL when there is none. */
const struct hp_compared_row *hp_compare_program(const struct hp_comparison *comparison);

/** " - functions", after the name of a section; nothing where the name says it. */
void hp_compare_put_title(const struct hp_subject *subject, struct hp_text *text);

/** What the legend must explain. */
struct hp_legend {
	bool has_intervals;
	bool has_unstable;
};

/**
 * Explain what is in the table, and why rows are unclear or left out.
 *
 * @param before
 *         What each sentence begins with; a line break ends it.
 */
void hp_compare_put_legend(const struct hp_comparison *comparison, struct hp_legend legend,
			   const char *before, struct hp_text *text);

/** Say that it did not fail, and what was checked. */
void hp_compare_put_passed(const struct hp_comparison *comparison, struct hp_text *text);

/** "3 kept, 1 broken, 1 not measured". */
void hp_compare_put_budget_counts(const struct hp_budgets *budgets, struct hp_text *text);

/** "kept", "broken", "not measured". */
const char *hp_budget_verdict(const struct hp_budget *budget);

/** The value or the limit of a budget: "1.20 s", "+5.0 %"; "-" when the figure is not there. */
void hp_compare_put_budget_figure(const struct hp_budget *budget, double figure,
				  struct hp_text *text);

#endif
