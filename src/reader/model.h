/* SPDX-License-Identifier: MIT */
/*
 * The model: what was measured, in nanoseconds and names, as every view consumes it.
 *
 * It comes from a segment, from a saved report, or from several of them merged, and does not tell
 * which.
 */
#ifndef HP_MODEL_H
#define HP_MODEL_H

#include "cpu.h"
#include "flows.h"
#include "machine.h"
#include "memory.h"
#include "points.h"
#include "process_name.h"
#include "provenance.h"
#include "segment.h"
#include "thread_list.h"
#include "trend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * One row: a function, block or operation, over all threads.
 *
 * Some rows have allocations and no calls: that of the whole process, which is the caller then; and, where
 * nothing was measured, functions that call malloc, of kind HP_SITE_CALL.
 */
struct hp_function {
	char *name;
	/** Its site in the segment, by which it is known from one look to the next; 0 when there is none. */
	uint32_t id;
	/** NULL when not known. */
	char *file;
	uint32_t line;
	enum hp_site_kind kind;
	/** Of a function that is known by its address: the file it lies in, and where; NULL otherwise. */
	char *module;
	uint64_t offset;
	/** Its name is a symbol of that file, which was found to be the one that ran. */
	bool has_symbol;
	/** The row that is 100 %. */
	bool is_caller;
	/** Calls that ended, and calls in progress. */
	uint64_t calls;
	uint64_t open;
	/** Inclusive (outermost calls, and those in progress so far); exclusive; sum of all calls. */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t sum_ns;
	/** Both 0 when no call ended. */
	uint64_t min_ns;
	uint64_t max_ns;
	/** How long calls took. */
	struct hp_points times;
	struct hp_alloc_figures alloc;
	struct hp_cpu_figures cpu;
	/** Not the row's own; NULL where nobody watched. */
	const struct hp_trend *trend;
};

enum {
	/** The parent of a branch that nobody calls who is measured. */
	HP_NO_BRANCH = -1,
	/** The function of a branch in which calls are counted that have no place of their own. */
	HP_NO_FUNCTION = -1,
	/** Branches that nobody calls have the depth 0; a tree that was cut ends with one more. */
	HP_BRANCH_DEPTH_MAX = HP_NODE_DEPTH_MAX + 1,
};

/**
 * A function as called from its parent, over all threads.
 *
 * What a function calls of itself directly is in its own branch. A total is not less than those of its
 * children together.
 */
struct hp_branch {
	/** The branch that calls it, which stands before it; or HP_NO_BRANCH. */
	int32_t parent;
	/** Its row of the model; no other child of the parent has the same. Or HP_NO_FUNCTION. */
	int32_t function;
	uint32_t depth;
	uint64_t calls;
	uint64_t open;
	uint64_t total_ns;
	uint64_t self_ns;
	/** It was called inside itself: its children may be inside each other, and have more time together. */
	bool recursive;
};

/**
 * Of what was asked for and is not there, a sentence that says why, without a full stop. NULL when it is there, or nobody
 * asked for it.
 */
struct hp_missing {
	char *cpu;
	char *alloc;
	/** Why nothing of ours can be loaded into the program, whatever is asked for. */
	char *loading;
};

/** How the program ended. */
struct hp_exit {
	/** Still running. */
	bool running;
	/** It ended by exit or the end of main. */
	bool clean;
	/** The exit status, or -1 when not known. */
	int status;
	/** The signal that ended it; 0 for none, or not known. */
	int signal;
};

struct hp_model {
	/** What the process is called, as in struct hp_process_name. */
	char *program;
	char *arguments;
	char *title;
	uint32_t pid;
	/** How many processes were merged into this model; 1 for one. */
	uint32_t processes;
	/** The name of the row that is 100 %, or of the program when the whole process is. */
	char *caller;
	/** The time that is 100 %, by the clock; and without what the profiler took on the thread where that was most. */
	uint64_t elapsed_ns;
	uint64_t own_elapsed_ns;
	uint64_t start_unix_ns;
	struct hp_exit exit;
	/** Where it ran; known where the report was made there. */
	struct hp_machine machine;
	struct hp_provenance provenance;
	/** What its users say of it. */
	struct hp_metadata user_metadata;
	/** Somebody looks at it again and again: functions have trends. */
	bool watched;
	/** What a measured call costs. */
	double span_ns;
	/** What the profiler cost the program, over all threads: by calls, by what was allocated, and to get ready. */
	uint64_t estimated_ns;
	/** By enum hp_counter. */
	uint64_t dropped[HP_COUNTERS];
	struct hp_function *functions;
	size_t function_count;
	struct hp_missing missing;
	/** Sentences about what could not be found out, without a full stop. */
	char **notes;
	size_t note_count;
	/** Whether a call tree was kept, and the tree. */
	bool has_tree;
	struct hp_branch *branches;
	size_t branch_count;
	struct hp_memory memory;
	struct hp_threads threads;
	struct hp_cpu cpu;
	struct hp_flows flows;
};

/**
 * The duration that a share of all calls does not exceed.
 *
 * @param percent
 *         0 is the minimum, 100 the maximum, both exact; between them within 1 %.
 * @return
 *         Nanoseconds; 0 when no call ended.
 */
uint64_t hp_function_percentile(const struct hp_function *function, double percent);

/** The mean over all calls, with and without the calls inside; 0 when none ended. */
uint64_t hp_function_average(const struct hp_function *function);
uint64_t hp_function_self_average(const struct hp_function *function);

/** What the process is called. The strings are those of the model. */
struct hp_process_name hp_model_process(const struct hp_model *model);

/** Whether what a function took itself is less than what measuring it took: then its times say little. */
bool hp_function_is_mostly_cost(const struct hp_model *model, const struct hp_function *function);

/** Whether any function was called. */
bool hp_model_has_calls(const struct hp_model *model);

/** Whether nothing was measured: no call, no allocations, no CPU time, and no data flow. */
bool hp_model_is_empty(const struct hp_model *model);

/** Say why something is missing, unless that is said already. Out of memory it is not. */
void hp_model_miss(char **why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Add a sentence, unless it is there already.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_model_note(struct hp_model *model, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Add one model to another: functions with the same name, file, line and kind become one row, if they are of
 * the same module, whatever folder that is in; branches with the same way to them become one. So do
 * places of live blocks with the same names, frames of stacks, and channels and their like; threads are told apart.
 *
 * What cannot be added is the larger (elapsed_ns, span_ns), the earlier (start), the worse (exit),
 * or stays as it is (program, pid, caller, machine). A model of zeros takes over all of it.
 *
 * @return
 *         0, or -ENOMEM, and then *into is incomplete but may be freed.
 */
int hp_model_merge(struct hp_model *into, const struct hp_model *from);

/** Free what a row holds, and make it one of zeros. */
void hp_function_clear(struct hp_function *function);

/** Free what a model holds, and the model. NULL does nothing. */
void hp_model_free(struct hp_model *model);

#endif
