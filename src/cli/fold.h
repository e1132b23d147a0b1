/* SPDX-License-Identifier: MIT */
/*
 * Makes little of much: of a run with many processes, one model for each program in place of their segments.
 *
 * A segment takes 100 KB at least, mostly of memory, and a build has a thousand processes. So all but the newest are read
 * and removed as soon as their processes have ended, while the run goes on.
 */
#ifndef FOLD_H
#define FOLD_H

#include "process_list.h"
#include "run_segments.h"

struct fold {
	/** By program: what its processes have measured. */
	struct models models;
	/** These processes, as their models know them. */
	struct hp_processes rows;
};

/** How many segments of ended processes are kept: HOTPATH_KEEP, or the default. */
size_t fold_keep(void);

/** How many segments there are in all folders, and registers of runs. Names of files tell that, and they are not read. */
struct segment_count {
	size_t registers;
	size_t all;
	/** Segments that were made since some time, as when a run began, by this run or by others. */
	size_t newer;
};

struct segment_count fold_count(uint64_t since_unix_ns);

/** Whether there are so many segments that it is worth looking at them. */
bool fold_is_due(const struct segment_count *count);

/** Whether a run that has ended, which this process made, may have left more segments than are kept. */
bool fold_is_worth(const struct segment_count *count);

/** Whether there are more segments of earlier runs than are kept, or registers of runs without any, by so many that it is worth
    looking at all of them. */
bool fold_leaves_many(const struct segment_count *count);

/** Fold what ended processes of a run have left, but for the newest segments, and remove their files. */
void fold_segments(struct fold *fold, const struct run_source *source);

/** Write to a file beside the segments what was folded. One line on standard error if that fails. */
void fold_save(const struct fold *fold, const char *run);

/** Read it again. There may be none. */
void fold_load(struct fold *fold, const char *run);

/** When the file was written, in nanoseconds; 0 when there is none. */
uint64_t fold_version(const char *run);

/** Remove the file. */
void fold_remove(const char *run);

void fold_clear(struct fold *fold);

#endif
