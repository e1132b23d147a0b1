/* SPDX-License-Identifier: MIT */
/* The subjects of an export: each is a line in a table, and formats ask it instead of knowing subjects. */
#ifndef HP_EXPORT_SUBJECT_H
#define HP_EXPORT_SUBJECT_H

#include "model.h"
#include "text.h"
#include "values.h"

/** A type of value with its unit, as pprof names them. */
struct hp_value_type {
	const char *name;
	/** "count", "bytes" or "nanoseconds". */
	const char *unit;
};

struct hp_export_subject {
	/** The value of --what. */
	const char *name;
	/** Text for --help. */
	const char *help;
	/** Message for a report without the subject, with how to record it: "PROGRAM has no …". */
	const char *missing;
	/** Message if the subject was recorded, and all is zero; NULL for that in `missing`. */
	const char *zero;
	/** Follows the program in the name of a file, and in the title of a profile. */
	const char *suffix;
	const char *title;
	/** The values of a stack; the name behind the last is NULL. */
	struct hp_value_type types[HP_VALUES_MAX + 1];
	/** The value that a profile is about, which is the default in pprof. */
	unsigned main;
	/** The value that is the weight of a folded stack, and of a sample of the Firefox Profiler. */
	unsigned weight;
	/** Type of the period in pprof; the period is that of the stacks, or 1. */
	struct hp_value_type period;
	/** Type of the weights in the Firefox Profiler. Nanoseconds are written as milliseconds. */
	const char *firefox_weight;
	/** The subject is CPU time. */
	bool is_cpu_time;
	/** The stacks of a process are those of all its threads: what has no stack is counted for the first of all. */
	bool is_of_all_threads;
	/** Whether a model has the subject; NULL if it has when there are stacks. */
	bool (*is_recorded)(const struct hp_model *model);
	/** The stacks in a model; NULL for the call tree. */
	const struct hp_cpu *(*stacks)(const struct hp_model *model);
	/** The values of a stack. */
	struct hp_values (*values_of)(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack);
	/** The total of a thread; what is not in its stacks is without a stack. */
	struct hp_values (*values_in)(const struct hp_model *model, uint32_t thread);
	/**
	 * Write the figures of a frame, for people.
	 *
	 * @param all, own
	 *         Its values with and without those of the functions that it calls.
	 * @param share
	 *         The share of the whole, in percent.
	 */
	void (*put_figures)(struct hp_text *text, const struct hp_values *all,
			    const struct hp_values *own, const char *share);
	/** Write the rest of the title of a flame graph, behind the name of the program. */
	void (*put_total)(struct hp_text *text, const struct hp_model *model,
			  const struct hp_values *total);
};

/** All subjects, the default first; ends with a name of NULL. */
extern const struct hp_export_subject hp_export_subjects[];

/** The subject of a name; NULL when there is none. */
const struct hp_export_subject *hp_export_subject_find(const char *name);

/** Whether a model has the subject, even if all is zero. */
bool hp_export_subject_is_recorded(const struct hp_export_subject *subject,
				   const struct hp_model *model);

#endif
