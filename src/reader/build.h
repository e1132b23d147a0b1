/* SPDX-License-Identifier: MIT */
/* Steps to build a model from a segment; used for a single read and for repeated reads by a watcher. */
#ifndef HP_BUILD_H
#define HP_BUILD_H

#include "calls/stat_batch.h"
#include "calls/stat_index.h"
#include "calls/stat_sum.h"
#include "names/names.h"
#include "reader.h"

struct hp_build {
	const struct hp_snapshot *snapshot;
	struct hp_model *model;
	/** How the process ended, if known from waitpid or /proc; NULL otherwise. */
	const struct hp_exit *exit;
	/** May come from an earlier read of the same segment. */
	const struct hp_names *names;
	struct hp_stat_index *index;
	/** Gathers stats; NULL to read them in place. What is wanted of a site is told by `wish`, then. */
	struct hp_gather *gather;
	struct hp_stat_wish (*wish)(const void *context, uint32_t id);
	const void *context;
	bool with_tree;
	bool with_stacks;
	/** For each site, by id, the number of its row in the model plus one; 0 when it has none. From malloc. */
	uint32_t *rows;
	struct hp_stat_sum sum;
	struct hp_stat_batch batch;
};

/** Fill in what does not depend on functions. Returns false when memory ran out, as all of these do. */
bool hp_build_begin(struct hp_build *build);

/**
 * Add up the stats of sites, HP_STAT_BATCH_SITES at most. If a site is a function with anything to show, its row, which was empty,
 * gets an id.
 */
bool hp_build_functions(struct hp_build *build, const uint32_t *ids, size_t count,
			struct hp_function *rows);

/** Add everything else to a model whose rows are complete and in the order of their sites. */
bool hp_build_complete(struct hp_build *build);

/** Free what the steps have used, but not the model. */
void hp_build_end(struct hp_build *build);

#endif
