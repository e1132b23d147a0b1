/* SPDX-License-Identifier: MIT */
/* What compilers write for debuggers adds to names, where somebody reads that. */
#ifndef HP_NAME_DETAILS_H
#define HP_NAME_DETAILS_H

#include "names.h"

/**
 * Fill in the details of names in one module. Returns false when memory ran out.
 *
 * Programs that report on themselves have nobody who could: there it is NULL. The tool sets it once, when it begins.
 */
extern bool (*hp_name_details_read)(struct hp_name **names, size_t count,
				    const struct hp_module *module, const char *path);

enum hp_detailed {
	/** What probes found: few, and their lines tell them apart. */
	HP_DETAILED_FLOWS,
	/** All that is known by a place in a function. */
	HP_DETAILED_ALL,
};

/** Find the details of names that have none yet. Returns false when memory ran out. */
bool hp_name_details_add(struct hp_names *names, const struct hp_snapshot *snapshot,
			 enum hp_detailed which);

/**
 * Mark those of what probes found that would have one label: by the line where each was made, or else by a number in
 * the order in which they were.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_name_marks_set(struct hp_names *names, const struct hp_snapshot *snapshot);

#endif
