/* SPDX-License-Identifier: MIT */
/* The source of a report: a run, the segment of a process, a segment file, or saved reports. */
#ifndef SOURCE_H
#define SOURCE_H

#include "process/proc_tasks.h"
#include "reader.h"
#include "saved/saved.h"

struct source {
	struct hp_model *model;
	/** The segment, if it is one; empty when it is a saved report, or a run that has left several. */
	struct hp_image image;
	/** What a saved report holds; its model is the one above. */
	struct hp_saved saved;
	/** Set by who reads a running process again and again, and keeps the last reading of its threads; else NULL. */
	struct hp_task_history *tasks;
};

/**
 * Read a segment and what is known of its process.
 *
 * @param user
 *         As for hp_segment_open.
 * @param exit
 *         How the process ended, if that is known; NULL to find out whether it runs.
 * @return
 *         0, or a negative errno with the reason in error.
 */
int source_segment(struct source *source, const char *path, uint32_t user,
		   const struct hp_exit *exit, struct hp_error *error);

/**
 * Read the model of a segment again if its times are not those of an earlier reading of the same process, because the rate of the clock
 * was corrected meanwhile: then by the rate of before, so that the two can be compared.
 *
 * @param earlier
 *         The segment as it was then; an empty one does nothing.
 * @return
 *         0, or a negative errno with the reason in error.
 */
int source_read_alike(struct source *source, const struct hp_image *earlier,
		      struct hp_error *error);

/**
 * From now on, read programs that run without waiting: the present CPU share of their threads is not known then. For who has
 * others to answer meanwhile.
 */
void source_read_once(void);

/**
 * Find and read what the user named.
 *
 * @param name
 *         A process id, a run by its name, a segment file or a saved report; NULL for the newest run. The id of the process
 *         that a run began with stands for the whole run.
 * @return
 *         STATUS_OK, or another status after one line on standard error.
 */
int source_open(struct source *source, const char *name);

/** Read a segment of a list; that of the process that a run began with stands for the whole run. Returns as source_open. */
int source_open_found(struct source *source, const struct hp_found_list *list,
		      const struct hp_found *found);

/**
 * Read what the user named, and choose a part of it.
 *
 * @param names
 *         As for source_open; several are made one. Ends with NULL.
 * @param process
 *         As for run_choose; NULL for all.
 */
int source_open_all(struct source *source, char *const *names, const char *process);

/** The same, also for reports of a newer schema, of which only a part may be understood. */
int source_open_any(struct source *source, const char *name);

void source_free(struct source *source);

#endif
