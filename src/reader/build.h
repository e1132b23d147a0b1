/* SPDX-License-Identifier: MIT */
/* What a model is made with, by who reads a segment once and by who reads it again and again. */
#ifndef HP_BUILD_H
#define HP_BUILD_H

#include "names.h"
#include "reader.h"
#include "stat_index.h"
#include "stat_sum.h"

struct hp_build {
	const struct hp_snapshot *snapshot;
	struct hp_model *model;
	/** What is known of the process from elsewhere; NULL for nothing. */
	const struct hp_exit *exit;
	/** They may be of a look before. */
	const struct hp_names *names;
	struct hp_stat_index *index;
	/** Adds a stat of a lane to the sum, and returns its calls; NULL to read it where it is. */
	uint64_t (*add_stat)(struct hp_build *build, const struct hp_lane *lane,
			     const struct hp_stat_entry *entry, bool is_caller);
	void *context;
	bool with_tree;
	bool with_stacks;
	/** For each site, by id, the number of its row in the model plus one; 0 when it has none. From malloc. */
	uint32_t *rows;
	struct hp_stat_sum sum;
};

/** Begin with what does not need functions. Returns false when memory ran out, as all of these do. */
bool hp_build_begin(struct hp_build *build);

/** Add up a function, if it is one and there is anything to show: then its row, which was empty, has an id. */
bool hp_build_function(struct hp_build *build, uint32_t id, struct hp_function *function);

/** Add the rest to a model that has its rows, in the order of their sites. */
bool hp_build_complete(struct hp_build *build);

#endif
