/* SPDX-License-Identifier: MIT */
/*
 * Two versions of a program, compared: what became slower, what allocates more, and what cannot be told.
 *
 *	runs of base ─┐  match          judge                     policy
 *	              ├───────► rows ───────────► verdicts, notes ───────► failures
 *	runs of head ─┘                                  ▲
 *	                                              budgets
 *
 * What is exact is judged first and needs one run of each side; times are judged by how they vary between runs.
 */
#ifndef HP_COMPARISON_H
#define HP_COMPARISON_H

#include "ratio.h"
#include "report_options.h"
#include "subject.h"

enum {
	/** Of each side, of programs that are run to be compared. */
	HP_RUNS_MAX = 1000,
};

/** What is to be said of a figure or a row. */
enum hp_judged {
	/** Nothing: it is not known on both sides, or too small to matter. */
	HP_JUDGED_NOT,
	HP_JUDGED_SAME,
	/** More runs would tell. */
	HP_JUDGED_UNCLEAR,
	/** Of times. */
	HP_JUDGED_FASTER,
	HP_JUDGED_SLOWER,
	/** Of anything else. */
	HP_JUDGED_LESS,
	HP_JUDGED_MORE,
};

/** Which sides have a row. */
enum hp_presence {
	HP_PRESENT,
	HP_NEW,
	HP_REMOVED,
	/** Both, by different names: what is gone and what is new have the same calls, and there is no other such pair. */
	HP_RENAMED,
};

/** A figure of a subject; of percentiles, one of them. */
struct hp_compared_column {
	const struct hp_metric *metric;
	double percent;
	/** "self", "latency_p95"; and "Self", "P95". */
	char name[32];
	char header[32];
};

struct hp_compared_cell {
	/** By run; NAN where the figure is not known, 0 where the row is missing. */
	double *before;
	double *after;
	/** Their medians; NAN when not known of any run. */
	double before_median;
	double after_median;
	/** If both medians are less, it was seen too seldom to be judged: samples of CPU time. */
	double least;
	/** Its estimate is NAN unless both sides are known, and not negative. */
	struct hp_ratio ratio;
	/** Exact, and the same in all runs of a side. Of one that is not, the ratio is judged as that of a time is. */
	bool is_stable;
	enum hp_judged judged;
};

struct hp_compared_row {
	/** As head calls it, unless it was removed; and as base did, if renamed, or NULL. */
	char *name;
	char *old_name;
	/** Where it is in the source of the side that names it; NULL when not known. */
	char *file;
	uint32_t line;
	enum hp_presence presence;
	/** The larger of both sides, in percent; negative where there is none. */
	double share;
	/** Its share is too small: it is left out of the verdict. */
	bool is_minor;
	/** By column. */
	struct hp_compared_cell *cells;
	/** That of the deciding figure; where none is known that decides, that of the exact ones: more if any is, or less,
	    or unclear, or the same. */
	enum hp_judged judged;
	/** Worth showing: slower, faster, more or less of something exact, new, removed or renamed; and not minor. */
	bool has_changed;
};

struct hp_compared_section {
	const struct hp_subject *subject;
	struct hp_compared_column *columns;
	size_t column_count;
	/** What changed first; then the larger share of head or base; then by name. */
	struct hp_compared_row *rows;
	size_t row_count;
};

/** What makes a comparison end with 1, besides budgets. */
enum hp_fail_on {
	/** A row, or the whole program, is slower. */
	HP_FAIL_ON_SLOWER,
	/** More was allocated. */
	HP_FAIL_ON_ALLOC,
	/** Both of these, and more of anything else that is exact. */
	HP_FAIL_ON_ANY,
	HP_FAIL_ON_NONE,
};

struct hp_compare_options {
	/** A time is slower or faster only if it differs by more than this share: 0.05. */
	double threshold;
	/** In percent: 1. */
	double min_share;
	/** That all intervals of one comparison are right together: 0.95. */
	double confidence;
	enum hp_fail_on fail_on;
	double percentiles[HP_PERCENTILES_MAX];
	unsigned percentile_count;
	/** Subjects, by their place in hp_subjects, as bits; 0 for those that both sides recorded and are not optional. */
	uint32_t subjects;
};

/** A limit that the user has set for a figure of head. */
struct hp_budget {
	/** Of the row; NULL for the whole program. */
	char *name;
	/** Of the column. */
	char *metric;
	/** In the unit of the figure; or, if relative, how much more than base: 0.05. */
	double limit;
	bool is_relative;
	/** Set by the comparison: whether the figure is there; the median of head, or how much more it is than base. */
	bool is_known;
	double value;
	enum hp_metric_unit unit;
	bool is_broken;
	/** It would be, but the runs do not tell whether it is more than before at all. */
	bool is_unclear;
};

struct hp_budgets {
	/** Where they were read from; not their own. NULL for none. */
	const char *path;
	struct hp_budget *items;
	size_t count;
};

struct hp_comparison {
	struct hp_side base;
	struct hp_side head;
	struct hp_compare_options options;
	/** The first is the whole program. */
	struct hp_compared_section *sections;
	size_t section_count;
	/** How many intervals verdicts depend on: those of times that decide, and of counts that differ between runs of a
	    side; the confidence of each, so that all are right together with options.confidence; and how many runs of each
	    side that takes. */
	size_t judged_count;
	double row_confidence;
	size_t runs_needed;
	/** What must be known to read it: other machines, options, versions; what is missing; what was renamed. Sentences
	    without a full stop. */
	char **notes;
	size_t note_count;
	struct hp_budgets budgets;
	/** Why it fails, a sentence each without a full stop, the worst first; none when it does not. */
	char **failures;
	size_t failure_count;
};

/** How often each verdict is there, of the rows that are not minor, without the whole program. */
struct hp_compare_counts {
	size_t slower, faster, same, unclear;
	/** Of exact figures: rows of which any is more, or less. */
	size_t more, less;
	size_t created, removed, renamed;
	size_t minor;
};

/** Defaults. */
void hp_compare_options_init(struct hp_compare_options *options);

/**
 * Compare.
 *
 * @param comparison
 *         Its sides, options and budgets are given, and stay the comparison's; the rest is made.
 * @return
 *         0, or -ENOMEM; either way it is to be cleared.
 */
int hp_compare(struct hp_comparison *comparison);

/** Whether a figure was seen too seldom to be judged. */
static inline bool hp_compared_cell_is_vague(const struct hp_compared_cell *cell)
{
	return cell->before_median < cell->least && cell->after_median < cell->least;
}

/** Whether any exact figure of a row is judged so. */
bool hp_compared_row_has(const struct hp_compared_section *section,
			 const struct hp_compared_row *row, enum hp_judged judged);

struct hp_compare_counts hp_compare_count(const struct hp_comparison *comparison);

/** Whether it is a regression by the policy and the budgets: the exit status is 1. */
static inline bool hp_compare_fails(const struct hp_comparison *comparison)
{
	return comparison->failure_count > 0;
}

/** "slower"; "" for HP_JUDGED_NOT. */
const char *hp_judged_name(enum hp_judged judged);

void hp_comparison_clear(struct hp_comparison *comparison);

/**
 * Read budgets from a text in JSON. It may come from anyone: everything is checked.
 *
 * @param budgets
 *         Their path stays as it is; to be cleared, unless it fails.
 * @return
 *         0, or a negative errno with the reason in error.
 */
int hp_budgets_read(const char *bytes, size_t size, struct hp_budgets *budgets,
		    struct hp_error *error);

/** Also done by hp_comparison_clear. */
void hp_budgets_clear(struct hp_budgets *budgets);

#endif
