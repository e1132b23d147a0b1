/* SPDX-License-Identifier: MIT */
/* Details that debug information adds to names, in programs that can read it. */
#ifndef HP_NAME_DETAILS_H
#define HP_NAME_DETAILS_H

#include "names.h"

/**
 * Fill in the details of names in one module. Returns false when memory ran out.
 *
 * NULL in programs that print their own report, which cannot read debug information. The tool sets it once, at its
 * start.
 */
extern bool (*hp_name_details_read)(struct hp_name **names, size_t count,
				    const struct hp_module *module, const char *path);

enum hp_detailed {
	/** Only objects that probes found: they are few, and their lines tell them apart. */
	HP_DETAILED_FLOWS,
	/** Everything that is known by an address inside a function. */
	HP_DETAILED_ALL,
};

/** Find the details of names that have none yet. Returns false when memory ran out. */
bool hp_name_details_add(struct hp_names *names, const struct hp_snapshot *snapshot,
			 enum hp_detailed which);

/**
 * Add marks to objects found by probes that would have the same label: the line where each was created, or else a
 * number in order of creation.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_name_marks_set(struct hp_names *names, const struct hp_snapshot *snapshot);

#endif
