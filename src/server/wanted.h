/* SPDX-License-Identifier: MIT */
/* What the user wants to be served: by a process id, the name of a program, or a run. */
#ifndef HP_WANTED_H
#define HP_WANTED_H

#include "target.h"

struct hp_wanted {
	/** A process, and later starts of its program. Without names if it has ended, and only its run is wanted. */
	struct hp_target target;
	/** By the name of a program, not by a process id. */
	bool by_name;
	/** A run that was named, by itself or by its first process; empty for none. */
	char run[HP_RUN_MAX];
};

/** Find what a name means. Returns as hp_target_find; the target is to be freed when it is 0. */
int hp_wanted_find(struct hp_wanted *wanted, const char *name, struct hp_error *error);

/** Whether a segment is meant. */
bool hp_wanted_means(const struct hp_wanted *wanted, const struct hp_found *found);

#endif
