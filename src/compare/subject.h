/* SPDX-License-Identifier: MIT */
/*
 * What there is to compare: a subject for each section of the report, with its rows and its figures.
 *
 * A subject is a constant at the end of its file and a line in the table of subjects; a figure is a line in the
 * table of its subject. No two figures have the same name, so that a budget can say which it means.
 */
#ifndef HP_SUBJECT_H
#define HP_SUBJECT_H

#include "run.h"

enum hp_metric_kind {
	/** A program that does the same has the same number: calls, allocations, bytes, messages. */
	HP_METRIC_EXACT,
	/** Takes longer or shorter with every run. */
	HP_METRIC_TIME,
	/** Another thing that differs with every run: memory in use, the longest a queue was. */
	HP_METRIC_LEVEL,
};

enum hp_metric_unit {
	HP_UNIT_COUNT,
	HP_UNIT_BYTES,
	HP_UNIT_NS,
	/** A gauge's value: any double. */
	HP_UNIT_NUMBER,
};

struct hp_metric {
	/** In JSON and in budgets: "self". Of percentiles, what stands before "p95": "", "latency_". */
	const char *name;
	/** Of its column: "Self". */
	const char *header;
	enum hp_metric_kind kind;
	enum hp_metric_unit unit;
	/** The verdict of the row is that of this figure: one in a subject at most, and it is a time. */
	bool decides;
	/** It counts what is allocated. */
	bool is_alloc;
	/** There is one for each percentile. */
	bool is_percentile;
	/** More of it is neither worse nor better: the value of a gauge; or it is so for another row: what is inside. */
	bool is_neutral;
	/** Of a run that lacks the row it is not known, rather than 0: a mean, the value of a gauge. */
	bool needs_row;
	/** Where there is no room for all columns, those with the highest go first; 0 stays. */
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
	/** What is less than this in a run was seen too seldom to tell anything; NULL where all of it is measured. */
	double (*least)(const struct hp_run *run);
};

/** What a row is; strings are the model's, or in text. */
struct hp_subject_row {
	const char *name;
	/** NULL when not known. */
	const char *file;
	uint32_t line;
	/** The file with its code, unless its source is known or that file is the program; NULL otherwise. */
	const char *module;
	/** By this, rows that are the same but for their place in a file have their order: a line or an address. */
	uint64_t order;
	/** Its name is that of the program, which may be another on the other side. */
	bool is_program;
	/** What else must be the same of two rows that are the same thing. */
	unsigned kind;
	/** In percent of all that its run has of what is compared; negative where that means nothing. */
	double share;
	/** What had to be made: the way to a branch of the call tree, or the file of a place. */
	char text[512];
};

struct hp_subject {
	/** As the section of the report is called: "timing". */
	const char *name;
	/** Of its JSON and above its table: "functions". What a row is: "function". */
	const char *title;
	const char *noun;
	/** The last has a name of NULL. */
	const struct hp_metric *metrics;
	/** It is compared only if the user asks for it: what it has is told by others too. */
	bool is_optional;
	/** Rows with the same name are one, with the sum of their figures; else they are told apart by their lines. */
	bool adds_up;
	/** Make rows that a model has only in another form; NULL where there is nothing to do. Returns 0, or -ENOMEM. */
	int (*prepare)(struct hp_model *model);
	/** Whether a run recorded it at all. */
	bool (*is_recorded)(const struct hp_model *model);
	/** How many rows there are to ask for; and one of them, into zeros: false when it is none of this subject. */
	size_t (*count)(const struct hp_model *model);
	bool (*get)(const struct hp_model *model, size_t at, struct hp_subject_row *row);
};

/** The whole program: one row. It is always compared. */
extern const struct hp_subject hp_subject_program;
extern const struct hp_subject hp_subject_timing;
extern const struct hp_subject hp_subject_tree;
extern const struct hp_subject hp_subject_alloc;
extern const struct hp_subject hp_subject_live;
extern const struct hp_subject hp_subject_threads;
extern const struct hp_subject hp_subject_cpu;
extern const struct hp_subject hp_subject_channels;
extern const struct hp_subject hp_subject_latency;
extern const struct hp_subject hp_subject_streams;
extern const struct hp_subject hp_subject_futures;
extern const struct hp_subject hp_subject_loops;
extern const struct hp_subject hp_subject_debug;

/** All of them, in the order in which they are shown; ends with NULL. */
extern const struct hp_subject *const hp_subjects[];

#endif
