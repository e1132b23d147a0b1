/* SPDX-License-Identifier: MIT */
/* How the rows of a model went lately: functions, and channels and their like. */
#ifndef HP_MODEL_TRENDS_H
#define HP_MODEL_TRENDS_H

#include "cache.h"
#include "trends.h"

/** All zero to begin with. */
struct hp_model_trends {
	/** By id, of which every row has one of its own: of calls, and of what is sent, begun or set. */
	struct hp_trends trends;
	/** Of what channels receive. */
	struct hp_trends received;
};

/**
 * See the rows of a model as they were at a moment, and give them their trends.
 *
 * @param cache
 *         Knows which of its functions were looked at.
 * @return
 *         False when memory ran out. Either way, what other models were given is no longer there.
 */
bool hp_model_trends_see(struct hp_model_trends *trends, struct hp_model *model,
			 const struct hp_cache *cache, uint64_t now_ns);

/** Take the trends of its rows from a model. */
void hp_model_trends_drop(struct hp_model *model);

/** Forget everything, and free it. */
void hp_model_trends_clear(struct hp_model_trends *trends);

#endif
