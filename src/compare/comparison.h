/* SPDX-License-Identifier: MIT */
/*
 * Compares two versions of a program: what became slower, what allocates more, and what cannot be decided.
 *
 *	runs of base ─┐  match          judge                     policy
 *	              ├───────► rows ───────────► verdicts, notes ───────► failures
 *	runs of head ─┘                                  ▲
 *	                                              budgets
 *
 * Exact figures are judged first and need one run of each side; times are judged by their variation between runs.
 */
#ifndef HP_COMPARISON_H
#define HP_COMPARISON_H

#include "ratio.h"
#include "report_options.h"
#include "subject.h"

enum {
	/** Maximum number of runs of each side. */
	HP_RUNS_MAX = 1000,
};

/** The verdict on a figure or a row. */
enum hp_judged {
	/** No verdict: not known on both sides, or too small to matter. */
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
	/**
	 * On both sides, under different names: a removed and a new row with the same calls, if there is no other
	 * such pair.
	 */
	HP_RENAMED,
};

/** A column: a metric of the subject or, for percentiles, one of them. */
struct hp_compared_column {
	const struct hp_metric *metric;
	double percent;
	/** "self", "latency_p95"; and "Self", "P95". */
	char name[32];
	char header[32];
};

struct hp_compared_cell {
	/** One value per run; NAN if the figure is not known, 0 if the row is missing. */
	double *before;
	double *after;
	/** What they are divided by, if windows are compared, as hp_metric_per says; NULL for nothing. */
	const char *per;
	/** Their medians; NAN when not known of any run. */
	double before_median;
	double after_median;
	/** If both medians are below this, there are too few samples of CPU time to judge it. */
	double least;
	/** The estimate is NAN unless both sides are known and not negative. */
	struct hp_ratio ratio;
	/**
	 * Exact, and equal in all runs of a side. If an exact figure varies, its ratio is judged like that of a time.
	 */
	bool is_stable;
	enum hp_judged judged;
};

struct hp_compared_row {
	/** The name in head, or in base if it was removed; and the name in base if it was renamed, or NULL. */
	char *name;
	char *old_name;
	/** Its source location on the side that the name is from; NULL if not known. */
	char *file;
	uint32_t line;
	enum hp_presence presence;
	/** The larger share of both sides, in percent; negative if there is none. */
	double share;
	/** Its share is too small: it is left out of the verdict. */
	bool is_minor;
	/** By column. */
	struct hp_compared_cell *cells;
	/**
	 * The verdict of the deciding figure. If there is none, of the exact ones: more if any is more, else less,
	 * unclear or the same.
	 */
	enum hp_judged judged;
	/** Worth showing: slower, faster, more or less of something exact, new, removed or renamed; and not minor. */
	bool has_changed;
};

struct hp_compared_section {
	const struct hp_subject *subject;
	struct hp_compared_column *columns;
	size_t column_count;
	/** Sorted: first what changed; then by the larger share of both sides; then by name. */
	struct hp_compared_row *rows;
	size_t row_count;
};

/** What makes a comparison exit with status 1, besides budgets. */
enum hp_fail_on {
	/** A row, or the whole program, is slower. */
	HP_FAIL_ON_SLOWER,
	/** More was allocated. */
	HP_FAIL_ON_ALLOC,
	/** Either of these, or a higher value of any other exact figure. */
	HP_FAIL_ON_ANY,
	HP_FAIL_ON_NONE,
};

struct hp_compare_options {
	/** The smallest relative change of a time that counts as slower or faster: 0.05. */
	double threshold;
	/** In percent: 1. */
	double min_share;
	/** The confidence that all intervals of a comparison hold together: 0.95. */
	double confidence;
	enum hp_fail_on fail_on;
	double percentiles[HP_PERCENTILES_MAX];
	unsigned percentile_count;
	/** A bit set of indexes into hp_subjects; 0 for those that both sides recorded and that are not optional. */
	uint32_t subjects;
};

/** A limit that the user has set for a figure of head. */
struct hp_budget {
	/** Of the row; NULL for the whole program. */
	char *name;
	/** Of the column. */
	char *metric;
	/** In the unit of the metric; or, if relative, the allowed increase over base: 0.05. */
	double limit;
	bool is_relative;
	/** Set by the comparison: whether the figure is known; and the median of head, or its increase over base. */
	bool is_known;
	double value;
	enum hp_metric_unit unit;
	bool is_broken;
	/** It would be broken, but the runs do not show with certainty that the figure increased. */
	bool is_unclear;
};

struct hp_budgets {
	/** The file they were read from, not owned; NULL for none. */
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
	/**
	 * The number of intervals that verdicts depend on: of deciding times, and of counts that vary between runs;
	 * the confidence of each, so that all hold together with options.confidence; and how many runs of each side
	 * that needs.
	 */
	size_t judged_count;
	double row_confidence;
	size_t runs_needed;
	/**
	 * What readers must know: different machines, options or versions; what is missing; what was renamed.
	 * Sentences without a full stop.
	 */
	char **notes;
	size_t note_count;
	struct hp_budgets budgets;
	/** Why the comparison fails, as sentences without a full stop, worst first; empty if it does not. */
	char **failures;
	size_t failure_count;
};

/** The number of rows with each verdict, without minor rows and the whole program. */
struct hp_compare_counts {
	size_t slower, faster, same, unclear;
	/** Rows with an exact figure that is more, or less. */
	size_t more, less;
	size_t created, removed, renamed;
	size_t minor;
	/** Rows of both sides in which nothing could be compared, such as functions that were timed on one of them only. */
	size_t not_compared;
};

/** Defaults. */
void hp_compare_options_init(struct hp_compare_options *options);

/**
 * Compare.
 *
 * @param comparison
 *         With sides, options and budgets set, which it owns; the rest is filled in.
 * @return
 *         0, or -ENOMEM; either way it is to be cleared.
 */
int hp_compare(struct hp_comparison *comparison);

/** Whether a figure has too few samples to be judged. */
static inline bool hp_compared_cell_is_vague(const struct hp_compared_cell *cell)
{
	return cell->before_median < cell->least && cell->after_median < cell->least;
}

/** Whether any exact figure of a row has this verdict. */
bool hp_compared_row_has(const struct hp_compared_section *section,
			 const struct hp_compared_row *row, enum hp_judged judged);

struct hp_compare_counts hp_compare_count(const struct hp_comparison *comparison);

/** Whether a row matters and is on both sides, and yet has no verdict. */
bool hp_compared_row_is_unjudged(const struct hp_compared_row *row);

/** Whether it is a regression, by the policy or the budgets, so that the exit status is 1. */
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
