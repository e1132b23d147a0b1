/* SPDX-License-Identifier: MIT */
/*
 * Callers and callees of a function, from the stacks that were sampled, or from those of allocations.
 *
 *	stacks, innermost first       callers of work     callees of work
 *	read, work, main         3    main        5       read        7
 *	work, main               2    parse       4
 *	read, work, parse, main  4
 */
#ifndef HP_SAMPLED_H
#define HP_SAMPLED_H

#include "cpu/native.h"

/** A neighbour of a function. */
struct hp_sampled_row {
	/** The function's name, and its program or library, or NULL. Both belong to the model. */
	const char *name;
	const char *module;
	/**
	 * Inclusive and exclusive samples: of the function when called by this caller; of the callee when called by the function.
	 * A stack counts once.
	 */
	uint64_t samples;
	uint64_t self;
	/** Allocations of the same stacks, inclusive. */
	struct hp_stack_memory memory;
	/** Private: the last stack that was counted, plus one. */
	size_t last;
};

/** Rows, those with most samples or bytes first. */
struct hp_sampled_rows {
	struct hp_sampled_row *items;
	size_t count;
};

/** Functions with the same name, together. */
struct hp_sampled {
	/** Inclusive and exclusive samples. */
	uint64_t samples;
	uint64_t self;
	struct hp_stack_memory memory;
	struct hp_sampled_rows callers;
	struct hp_sampled_rows callees;
	/** For each native function, whether its name and module were asked for. */
	bool *wanted;
};

/**
 * Find the callers and callees of a function. The probes of the profiler are looked through: who called malloc by way of one is
 * its caller. CPU time without a stack, such as "<kernel>", has a caller that is not known.
 *
 * @param native
 *         The functions of these stacks.
 * @param module
 *         Its program or library; NULL for any.
 * @return
 *         0; -ENOENT when it is in no stack; -ENOMEM. Either way, it is to be freed.
 */
int hp_sampled_read(struct hp_sampled *sampled, const struct hp_cpu *cpu,
		    const struct hp_native *native, const char *name, const char *module);

void hp_sampled_free(struct hp_sampled *sampled);

#endif
