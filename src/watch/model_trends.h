/* SPDX-License-Identifier: MIT */
/* Recent rates of the rows of a model: functions, and rows of kinds. */
#ifndef HP_MODEL_TRENDS_H
#define HP_MODEL_TRENDS_H

#include "cache.h"
#include "sampled_trends.h"
#include "trends.h"

/** All zero to begin with. */
struct hp_model_trends {
	/** By id, which is unique for each row: of calls, and of the first rate of a kind. */
	struct hp_trends trends;
	/** Of the second rate, if a kind has two. */
	struct hp_trends second;
	/** Samples of measured functions, by id: exclusive and inclusive. By enum hp_cpu_trend: other samples. */
	struct hp_trends samples;
	struct hp_trends inclusive;
	struct hp_trends other_samples;
	/** Of functions that are only sampled. */
	struct hp_sampled_trends sampled;
};

/**
 * Record the counters of a model's rows at a moment, and attach trends to the rows.
 *
 * @param cache
 *         Knows which functions were added up in the last pass; NULL if all were.
 * @param has_new_stacks
 *         The stacks of the model were not in the last one.
 * @return
 *         False when memory ran out. Either way, trends attached to other models are no longer valid.
 */
bool hp_model_trends_see(struct hp_model_trends *trends, struct hp_model *model,
			 const struct hp_cache *cache, bool has_new_stacks, uint64_t now_ns);

/** Detach the trends from a model's rows. */
void hp_model_trends_drop(struct hp_model *model);

/** Forget everything, and free it. */
void hp_model_trends_clear(struct hp_model_trends *trends);

#endif
