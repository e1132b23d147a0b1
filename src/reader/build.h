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
	/** Adds a stat of a lane to the sum and returns its calls. */
	uint64_t (*add_stat)(struct hp_build *build, const struct hp_lane *lane,
			     const struct hp_stat_entry *entry, bool is_caller);
	void *context;
	bool with_tree;
	bool with_stacks;
	/** hp_build_function is to leave histograms empty. */
	bool without_histograms;
	/** For each site, by id, the number of its row in the model plus one; 0 when it has none. From malloc. */
	uint32_t *rows;
	struct hp_stat_sum sum;
	struct hp_stat_batch batch;
};

/** Fill in what does not depend on functions. Returns false when memory ran out, as all of these do. */
bool hp_build_begin(struct hp_build *build);

/** Add up the stats of a site by add_stat. If it is a function with anything to show, its row, which was empty, gets an id. */
bool hp_build_function(struct hp_build *build, uint32_t id, struct hp_function *function);

/** The same for several sites, HP_STAT_BATCH_SITES at most, whose stats are read in place; each has a row. */
bool hp_build_functions(struct hp_build *build, const uint32_t *ids, size_t count,
			struct hp_function *rows);

/** Add everything else to a model whose rows are complete and in the order of their sites. */
bool hp_build_complete(struct hp_build *build);

/** Free what the steps have used, but not the model. */
void hp_build_end(struct hp_build *build);

#endif
