/* SPDX-License-Identifier: MIT */
/*
 * A subject is what a section of the report has to compare: rows and figures.
 *
 * A subject is a constant at the end of its file and a line in the table of subjects, or a table of a kind (kind.h), of
 * which a constant says what its rows and fields do not; a metric is a line in the table of its subject, or a field. All
 * metrics have different names, so that budgets can refer to them.
 */
#ifndef HP_SUBJECT_H
#define HP_SUBJECT_H

#include "kind.h"
#include "run.h"

enum hp_metric_unit {
	HP_UNIT_COUNT,
	HP_UNIT_BYTES,
	HP_UNIT_NS,
	/** A gauge's value: any double. */
	HP_UNIT_NUMBER,
};

struct hp_metric {
	/** Name in JSON and in budgets: "self". For percentiles, the prefix of "p95": "", "latency_". */
	const char *name;
	/** Of its column: "Self". */
	const char *header;
	enum hp_compared_kind kind;
	enum hp_metric_unit unit;
	/** The verdict of the row is that of this figure: at most one per subject, and it is a time. */
	bool decides;
	/** Counts allocations. */
	bool is_alloc;
	/** There is one for each percentile. */
	bool is_percentile;
	/**
	 * More is neither worse nor better, as for the value of a gauge; or it counts for another row, as for
	 * inclusive figures.
	 */
	bool is_neutral;
	/** If a run lacks the row, the figure is unknown rather than 0: a mean, the value of a gauge. */
	bool needs_row;
	/** The figure says nothing about a window, such as its length, or is there per call under another name. */
	bool is_of_runs;
	/** What a sum of a window is divided by, as in struct hp_compared; and the key of that count in JSON. */
	uint16_t per;
	const char *per_key;
	/** If there is no room for all columns, those with the highest rank are dropped first; 0 always stays. */
	unsigned rank;
	/**
	 * The figure of a row; NAN when it is not known of this run.
	 *
	 * @param at
	 *         Which row, as in hp_subject.get.
	 * @param percent
	 *         Which percentile.
	 */
	double (*value)(const struct hp_run *run, size_t at, double percent);
	/** The minimum of a run below which there are too few samples; NULL if the figure is not sampled. */
	double (*least)(const struct hp_run *run);
	/** The field that it is made of, and the subject, which take the place of value(); NULL if it is none. */
	const struct hp_field *field;
	const struct hp_subject *subject;
};

/** The identity of a row; strings point into the model, or into text. */
struct hp_subject_row {
	const char *name;
	/** NULL when not known. */
	const char *file;
	uint32_t line;
	/** The file with its code, unless its source is known or that file is the program; NULL otherwise. */
	const char *module;
	/** Sorts rows that only differ in their position in a file: a line or an address. */
	uint64_t order;
	/** Its name is that of the program, which may differ on the other side. */
	bool is_program;
	/** Must also be equal for two rows to match. */
	unsigned kind;
	/** Its share of its run's total, in percent; negative if that is meaningless. */
	double share;
	/** Holds strings made for this row: the path to a branch of the call tree, or the file of a location. */
	char text[512];
};

struct hp_subject {
	/** The name of the report section: "timing". */
	const char *name;
	/** Title in JSON and above its table: "functions"; and what a row is: "function". */
	const char *title;
	const char *noun;
	/** What a side lacks that has no such rows, and what to do about it; NULL when every side has them. */
	const char *rows;
	const char *how;
	/** If a side lacks this subject too, the note about that is enough; NULL for none. */
	const struct hp_subject *needs;
	/** The last has a name of NULL. */
	const struct hp_metric *metrics;
	/** The fields that they are made of, and the room for them, which is `metrics`; NULL if there are none. */
	const struct hp_field *fields;
	struct hp_metric *room;
	/** The struct that has the fields of a row, and the figure if it is not simply that; NULL for those of a kind. A row
	    that counts no calls has no struct. */
	const void *(*row)(const struct hp_model *model, size_t at);
	double (*figure)(const struct hp_run *run, size_t at, const struct hp_field *field,
			 double percent);
	/** Of figures that are samples: as in struct hp_metric. */
	double (*least)(const struct hp_run *run);
	/** Its place among all subjects: the lowest comes first. */
	int order;
	/** The kind whose table it is: its rows and fields take the place of functions below that are NULL. NULL if it is
	    none. */
	const struct hp_kind *kind;
	unsigned table;
	/** Only compared on request, because other subjects show the same differences. */
	bool is_optional;
	/** Rows with the same name are added up; otherwise they are told apart by their lines. */
	bool adds_up;
	/**
	 * Create rows that a model only has in another form; NULL if there is nothing to do. Returns 0, or -ENOMEM.
	 */
	int (*prepare)(struct hp_model *model);
	/** Whether a run recorded it at all. */
	bool (*is_recorded)(const struct hp_model *model);
	/**
	 * The number of candidate rows; and one of them, written into a zeroed struct: false if it does not belong to
	 * this subject.
	 */
	size_t (*count)(const struct hp_model *model);
	bool (*get)(const struct hp_model *model, size_t at, struct hp_subject_row *row);
};

/** The whole program: one row. It is always compared. */
extern const struct hp_subject hp_subject_program;
extern const struct hp_subject hp_subject_timing;
extern const struct hp_subject hp_subject_tree;
extern const struct hp_subject hp_subject_alloc;
extern const struct hp_subject hp_subject_cpu;

/** What is special about subjects of kinds. */
extern const struct hp_subject hp_subject_special_live;
extern const struct hp_subject hp_subject_special_threads;

/** All of them, in the order in which they are shown; ends with NULL. */
extern const struct hp_subject *const *const hp_subjects;

/** What the functions of a subject and a metric say, or its kind. */
bool hp_subject_is_recorded(const struct hp_subject *subject, const struct hp_model *model);
size_t hp_subject_count(const struct hp_subject *subject, const struct hp_model *model);
bool hp_subject_get(const struct hp_subject *subject, const struct hp_model *model, size_t at,
		    struct hp_subject_row *row);
/** For a window, sums are divided by what there was of calls, events or seconds; NAN if that is 0. */
double hp_metric_value(const struct hp_metric *metric, const struct hp_run *run, size_t at,
		       double percent);

/**
 * What hp_metric_value has divided a figure by: "second", or the key of a count. NULL for nothing. Figures of rows without
 * calls, in a program where no calls are counted, are per second instead.
 */
const char *hp_metric_per(const struct hp_metric *metric, const struct hp_run *run, size_t at);

/** The minimum of a sampled figure of a window, divided by the same. */
double hp_metric_least(const struct hp_metric *metric, const struct hp_run *run, size_t at);

/** Whether more is neither worse nor better: what a program does in a second depends on its load. */
static inline bool hp_metric_is_neutral(const struct hp_metric *metric, bool is_of_windows)
{
	return metric->is_neutral || (is_of_windows && metric->per == HP_PER_SECOND);
}

#endif
