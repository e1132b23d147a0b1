/* SPDX-License-Identifier: MIT */
/* Recent CPU time of functions that are not measured, but sampled. */
#ifndef HP_SAMPLED_TRENDS_H
#define HP_SAMPLED_TRENDS_H

#include "cpu/native.h"
#include "names/intern.h"
#include "trends.h"

/** All zero to begin with. */
struct hp_sampled_trends {
	/** The functions of the last stacks. */
	struct hp_native native;
	/** Functions have no id, so they get numbers: by a hash of their name and file. */
	struct hp_intern known;
	uint64_t *keys;
	uint32_t count;
	size_t room;
	/** By number: exclusive and inclusive samples. */
	struct hp_trends samples;
	struct hp_trends inclusive;
	/** When stacks were first and last seen; 0 before. */
	uint64_t first_ns;
	uint64_t seen_ns;
};

/**
 * Add up stacks at a moment, and attach the result, with trends, to what they are of.
 *
 * @param cpu
 *         It must be kept until the next time: names are its own.
 * @return
 *         False when memory ran out.
 */
bool hp_sampled_trends_see(struct hp_sampled_trends *trends, struct hp_cpu *cpu, uint64_t now_ns);

/** Forget everything, and free it. */
void hp_sampled_trends_clear(struct hp_sampled_trends *trends);

#endif
