/* SPDX-License-Identifier: MIT */
/* Finds the names of addresses in the file of one module. */
#ifndef HP_MODULE_NAMES_H
#define HP_MODULE_NAMES_H

#include "names.h"

struct hp_module_names {
	/** The module's file; NULL if it is not known. */
	const char *path;
	/** Sorted by address. */
	struct hp_name *names;
	size_t count;
	/** Why the file cannot be used; NULL if it can. */
	const char *problem;
	/** Whether to find out which functions have no frame pointer. */
	bool with_frames;
};

/**
 * Name each address by its symbol or, if it has none, by the address itself: "program+0x1234".
 *
 * @param module
 *         As in the segment, to see whether the file is still the one that ran; NULL if the path is.
 * @return
 *         False when memory ran out.
 */
bool hp_module_names_find(struct hp_module_names *wanted, const struct hp_module *module);

/** Remember names with all their details, if the tool keeps files; they were found with frames. */
void hp_module_names_learn(const struct hp_module_names *found, const struct hp_module *module);

/** Note what could not be found. Returns false when memory ran out. */
bool hp_module_names_note(const struct hp_module_names *wanted, struct hp_model *model);

#endif
