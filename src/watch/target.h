/* SPDX-License-Identifier: MIT */
/* The target of a watch: the segment that the user named, and later ones of the same program. */
#ifndef HP_TARGET_H
#define HP_TARGET_H

#include "reader.h"

struct hp_target {
	char *path;
	/** Of the program; empty when they are not known. */
	char *program;
	char *executable;
	uint64_t start_unix_ns;
	/** As for hp_segment_open. */
	uint32_t user;
	/** Watch only this file, and do not follow later starts of the program. */
	bool is_file;
};

/** Find what a name means. Returns as hp_watch_open; the target is to be freed when it is 0. */
int hp_target_find(struct hp_target *target, const char *name, struct hp_error *error);

/** Take over what was found. Returns 0 or -ENOMEM. */
int hp_target_take(struct hp_target *target, const struct hp_found *found);

/** Find a running segment of the same program that began later. Returns whether there is one, as next. */
bool hp_target_next(const struct hp_target *target, struct hp_target *next);

void hp_target_free(struct hp_target *target);

#endif
