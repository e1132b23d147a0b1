/* SPDX-License-Identifier: MIT */
/*
 * The model: what was measured, in nanoseconds and names, as every view consumes it.
 *
 * It comes from a segment, from a saved report, or from several of them merged, and does not tell
 * which.
 */
#ifndef HP_MODEL_H
#define HP_MODEL_H

#include "blocked_list.h"
#include "cpu/cpu_time.h"
#include "entry.h"
#include "function.h"
#include "memory/memory.h"
#include "names/unnamed_files.h"
#include "points.h"
#include "process/machine.h"
#include "process/provenance.h"
#include "process_list.h"
#include "process_name.h"
#include "segment.h"
#include "thread_list.h"
#include "trend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/** The parent of a branch without a measured caller. */
	HP_NO_BRANCH = -1,
	/** The function of a branch that collects calls without a branch of their own. */
	HP_NO_FUNCTION = -1,
	/** Branches without a parent have the depth 0; a tree that was cut off has one level more. */
	HP_BRANCH_DEPTH_MAX = HP_NODE_DEPTH_MAX + 1,
};

/**
 * A function as called from its parent, over all threads.
 *
 * Direct recursion is counted in the function's own branch. A total is never less than the sum of its children's,
 * except with indirect recursion.
 */
struct hp_branch {
	/** The branch of the caller, which has a lower index; or HP_NO_BRANCH. */
	int32_t parent;
	/** The function's row in the model, unique among the children of the parent; or HP_NO_FUNCTION. */
	int32_t function;
	uint32_t depth;
	uint64_t calls;
	uint64_t open;
	uint64_t total_ns;
	uint64_t self_ns;
	/**
	 * The function was called recursively: children may be nested in each other, and have more time together than
	 * this branch.
	 */
	bool recursive;
};

/**
 * For everything that was requested but is not available: a sentence that says why, without a full stop. NULL if it
 * is available, or was not requested.
 */
struct hp_missing {
	char *cpu;
	char *alloc;
	/** Why our libraries cannot be loaded into the program at all. */
	char *loading;
};

/** How the program ended. */
struct hp_exit {
	/** The program is still running. */
	bool running;
	/** The program ended by exit or the end of main. */
	bool clean;
	/** The exit status, or -1 when not known. */
	int status;
	/** The signal that ended the program; 0 for none, or not known. */
	int signal;
};

/** The kernel's count of the bytes that a process read and wrote. */
struct hp_io_total {
	/** Bytes before recording began, and of the recorder itself, which the kernel counts too; and the bytes since then, 0
	    when not known. */
	uint64_t before_bytes;
	uint64_t counted_bytes;
	/** The process waited for children, whose bytes are among these. */
	bool has_children;
};

struct hp_model {
	/** The name of the process, as in struct hp_process_name. */
	char *program;
	char *arguments;
	char *title;
	uint32_t pid;
	/** How many processes were merged into this model; 1 for one. */
	uint32_t processes;
	/** How many programs its process had executed before, one in place of the other, that were measured, too. */
	uint32_t image;
	/** The thread that executed the next program; 0 if none did, or it is not known which. */
	uint32_t executor;
	/** The processes of a run, as a tree: also those that left nothing else. Empty if there was one only. */
	struct hp_processes tree;
	/** The row of one process alone, if it is known from elsewhere; else empty. */
	struct hp_processes alone;
	/**
	 * The models that this one is the sum of: one for each process, or for several of one program. NULL if it is no
	 * sum, or they were not kept.
	 */
	struct hp_model **members;
	size_t member_count;
	/** The name of the row that is 100 %, or of the program when the whole process is. */
	char *caller;
	/**
	 * The wall clock time that is 100 %; and the same without the profiler's cost on the thread where that was
	 * highest.
	 */
	uint64_t elapsed_ns;
	uint64_t own_elapsed_ns;
	uint64_t start_unix_ns;
	/** Which session of the process this is, if it stopped recording and began anew; 0 for the first, or not known. */
	uint32_t session;
	struct hp_exit exit;
	/** The machine that the program ran on; known if the report was made there. */
	struct hp_machine machine;
	struct hp_provenance provenance;
	/** Metadata that the user gave for the report. */
	struct hp_metadata user_metadata;
	/** The program is watched repeatedly, so functions have trends. */
	bool watched;
	/** The program was sampled from outside, by `hotpath attach`: all times are those since then. */
	bool is_attached;
	/** The cost of a measured call. */
	double span_ns;
	/** The profiler's cost, over all threads: for calls, for allocations, and for its start. */
	uint64_t estimated_ns;
	/** Counts of what was lost or not measured, by enum hp_counter. */
	uint64_t dropped[HP_COUNTERS];
	struct hp_function *functions;
	size_t function_count;
	struct hp_missing missing;
	/** Sentences about what could not be found out, without a full stop. */
	char **notes;
	size_t note_count;
	/** Files without symbols, if their functions matter; one of the notes is about them. */
	struct hp_unnamed_files unnamed;
	/** Whether a call tree was kept, and the tree. */
	bool has_tree;
	struct hp_branch *branches;
	size_t branch_count;
	struct hp_memory memory;
	struct hp_threads threads;
	struct hp_blocked_list blocked;
	struct hp_cpu cpu;
	/** Stacks of waits; a sample is a period for which a thread waited. */
	struct hp_cpu waits;
	/**
	 * Stacks of allocations, which are those of all threads together: there is one thread, named as the program. The first
	 * frame is the call of malloc or its kin.
	 */
	struct hp_cpu allocations;
	struct hp_entries entries;
	struct hp_io_total io;
};

/** The name of the process. The strings are those of the model. */
struct hp_process_name hp_model_process(const struct hp_model *model);

/** Whether any function was called. */
bool hp_model_has_calls(const struct hp_model *model);

/** Whether nothing was measured: no call, no allocations, no CPU time, and no data flow. */
bool hp_model_is_empty(const struct hp_model *model);

/** Set the reason why something is missing, unless there is one already. Does nothing when memory ran out. */
void hp_model_miss(char **why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Add a sentence, unless it is there already.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_model_note(struct hp_model *model, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Add the sentences of another model; of both, the files without symbols are in one sentence. */
bool hp_model_add_notes(struct hp_model *into, const struct hp_model *from);

/**
 * Merge one model into another. Functions with the same name, file, line and kind become one row if their modules
 * have the same file name; branches with the same path become one. So do live blocks with the same name and location,
 * frames of stacks, and channels and the like; threads stay separate.
 *
 * What cannot be added is combined otherwise: the larger value (elapsed_ns, span_ns), the earlier (start), the worse
 * (exit), or that of the first (program, pid, caller, machine). A zeroed model takes over everything.
 *
 * @return
 *         0, or -ENOMEM, and then *into is incomplete but may be freed.
 */
int hp_model_merge(struct hp_model *into, const struct hp_model *from);

/**
 * Make one model of several, and keep these as its members.
 *
 * @param members
 *         At least one; with the array, they are the model's from then on, or freed when memory ran out.
 * @return
 *         NULL when memory ran out.
 */
struct hp_model *hp_model_sum(struct hp_model **members, size_t count);

/** Free what a row holds, and zero it. */
void hp_function_clear(struct hp_function *function);

/** Free what a model holds, and the model. NULL does nothing. */
void hp_model_free(struct hp_model *model);

#endif
