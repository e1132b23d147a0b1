/* SPDX-License-Identifier: MIT */
/*
 * A profile: the stacks of a model, or the tree of its measured functions, as a call tree of source functions.
 *
 *	model       stack of addresses, with measured functions and blocks between them
 *	  │ symbols           which functions, inlined ones too, and lines an address stands for
 *	  │ locations         an address with the blocks that were open there, as levels
 *	  ▼
 *	profile     tree of locations, and the values of stacks that end where: for formats with addresses
 *	  ▼
 *	            tree of functions, made of that: for formats with names alone
 */
#ifndef HP_PROFILE_H
#define HP_PROFILE_H

#include "call_tree.h"
#include "model.h"
#include "names/functions.h"
#include "names/symbols.h"
#include "subject.h"

/** A code address, and the measured blocks that were open there. */
struct hp_location {
	/** The frame of the model; HP_INDEX_NONE if it is not code. */
	uint32_t frame;
	/** Frames of the measured functions and blocks that are open in it, outermost first. */
	uint32_t *sites;
	uint32_t site_count;
	/** The functions and blocks there, the outermost first; one at least. */
	struct hp_levels levels;
};

/** The values of a thread with one stack. */
struct hp_sampled {
	uint32_t thread;
	/** The innermost call of the stack. */
	uint32_t call;
	struct hp_values values;
};

struct hp_profile {
	const struct hp_model *model;
	const struct hp_export_subject *subject;
	/** The stacks of the model, or `made`. */
	const struct hp_cpu *cpu;
	/** Frames of measured functions, if the subject has no stacks. */
	struct hp_cpu made;
	struct hp_functions functions;
	/** Functions at each frame of the model, with inlined ones. */
	struct hp_levels *levels;
	struct hp_location *locations;
	uint32_t location_count;
	size_t location_room;
	struct hp_intern location_index;
	/** The keys of the tree are locations. Samples are stored separately below, by thread. */
	struct hp_call_tree tree;
	struct hp_sampled *samples;
	size_t sample_count;
	struct hp_values total;
};

/**
 * Build a profile of a model, which must outlive it.
 *
 * @param all
 *         Also of stacks of which the main value is zero.
 * @return
 *         0, or -ENOMEM. Either way it is to be freed.
 */
int hp_profile_make(struct hp_profile *profile, const struct hp_model *model,
		    const struct hp_export_subject *subject, bool all);

void hp_profile_free(struct hp_profile *profile);

/** The main value. */
static inline uint64_t hp_profile_main(const struct hp_profile *profile,
				       const struct hp_values *values)
{
	return values->of[profile->subject->main];
}

/** The name of a thread, or the program's. */
const char *hp_profile_thread(const struct hp_profile *profile, uint32_t thread);

/** The name of the program, without its folder. */
const char *hp_profile_program(const struct hp_profile *profile);

/** Whether a module is the program itself, and no library. */
bool hp_profile_is_program(const struct hp_profile *profile, int32_t module);

/** A file's name without its folder. */
const char *hp_profile_base(const char *path);

/**
 * Build a tree of functions: keys are function numbers, except for the roots, which are threads.
 *
 * @param by_name
 *         Merge threads of the same name; the key of a root is then that of the first one.
 * @return
 *         0, or -ENOMEM. Either way it is to be freed.
 */
int hp_profile_functions(const struct hp_profile *profile, bool by_name, struct hp_call_tree *tree);

#endif
