/* SPDX-License-Identifier: MIT */
/*
 * What one program did between two moments.
 *
 *	then ──────────► now          the two reads, each since the start of the program
 *	     since(now, then)         calls, times, histograms, bytes, samples, stacks and branches in between
 *
 * Counts, times and histograms are subtracted, so percentiles are those of the window; what was not there then counts from
 * zero. What there is, and not what happened, is that of now: open calls, queue lengths, live blocks, RSS, states, values,
 * and the threads that wait. The least and the longest of some times are exact if they were reached in the window, and
 * else those of the histogram's first and last bucket, within 1 %. Other maxima are those since the start: the longest
 * queue, the most waiters, peaks of memory.
 */
#ifndef HP_SINCE_H
#define HP_SINCE_H

#include "packed_points.h"
#include "reader.h"

/**
 * The difference of two models of one process.
 *
 * Either both have a call tree and stacks, or what is missing in one of them is missing in the window. The models must be
 * complete reads: a watch's own model may have some functions that are older than others.
 *
 * @return
 *         A model of its own, to be freed with hp_model_free: it has no trends, no ids of rows and no members. NULL with
 *         one line in error: for another process, start or session; when a count has become less; when memory ran
 *         out.
 */
struct hp_model *hp_model_since(const struct hp_model *now, const struct hp_model *then,
				struct hp_error *error);

/** A model that is kept for a later difference. Its histograms of functions are packed, since nobody reads them before that. */
struct hp_earlier {
	struct hp_model *model;
	/** Those of each function in turn: of its calls, and of its allocations. NULL if they are in the model. */
	struct hp_packed_points *packed;
};

/** Take over a model; NULL is none. Returns false when memory ran out: it is freed then. */
bool hp_earlier_take(struct hp_earlier *earlier, struct hp_model *model);

void hp_earlier_clear(struct hp_earlier *earlier);

/**
 * As hp_model_since, with each row of functions given to a function when it is complete, which may free histograms: so those of all
 * rows are never there at once, and the difference takes little memory besides the two models.
 */
struct hp_model *hp_model_since_reduced(const struct hp_model *now, const struct hp_earlier *then,
					void (*reduce)(struct hp_function *function),
					struct hp_error *error);

/** A copy of a model of a watch, for a later hp_model_since. To be freed; NULL when memory ran out. */
struct hp_model *hp_model_copy(const struct hp_model *model);

#endif
