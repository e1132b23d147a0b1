/* SPDX-License-Identifier: MIT */
/* The source of a report: the segment of a process, a segment file, or a saved report. */
#ifndef SOURCE_H
#define SOURCE_H

#include "reader.h"
#include "saved/saved.h"

struct source {
	struct hp_model *model;
	/** The segment; empty when it is a saved report. */
	struct hp_image image;
	/** What a saved report holds; its model is the one above. */
	struct hp_saved saved;
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
 * Find and read what the user named.
 *
 * @param name
 *         A process id, a segment file or a saved report; NULL for the newest segment.
 * @return
 *         STATUS_OK, or another status after one line on standard error.
 */
int source_open(struct source *source, const char *name);

/** The same, also for reports of a newer schema, of which only a part may be understood. */
int source_open_any(struct source *source, const char *name);

void source_free(struct source *source);

#endif
