/* SPDX-License-Identifier: MIT */
/* Converts recorded stacks, which are addresses, to stacks of named functions. */
#ifndef HP_STACKS_H
#define HP_STACKS_H

#include "build.h"
#include "names/intern.h"

#define HP_STACKS_NONE UINT32_MAX

/** State while the stacks of a segment are read. Zero-initialised. */
struct hp_stacks {
	const struct hp_build *build;
	const struct hp_snapshot *snapshot;
	/** The part of the model that gets the stacks: of the CPU, of waits, or of allocations. */
	struct hp_cpu *cpu;
	/** Whether frames get their source lines, as those of allocations do. */
	bool with_sources;
	/** For each module id: its offset in the segment, and its index in the model plus one. */
	uint64_t modules[HP_FRAME_MODULES_MAX + 1];
	uint32_t module_numbers[HP_FRAME_MODULES_MAX + 1];
	/** Distinct places, and for each its index as a frame of the model plus one. */
	struct hp_cpu_frame *places;
	uint32_t *frame_numbers;
	/** The reverse: for each frame of the model, its place. */
	uint32_t *frame_places;
	/** For each stack, in the order in which they were added, its index in the model after equal ones were merged. */
	uint32_t *joined;
	size_t place_count;
	size_t place_room;
	struct hp_intern known;
	struct hp_names names;
	size_t stack_room;
	/** Bytes of the segment not yet read as stacks: bounds the walk, because a damaged list may be a cycle. */
	uint64_t left;
};

void hp_stacks_begin(struct hp_stacks *stacks, const struct hp_build *build, struct hp_cpu *cpu);

/**
 * Read the stacks of a lane.
 *
 * @param newest
 *         The offset of the first in the list.
 * @param thread
 *         The number of the lane's thread in the model.
 * @return
 *         False when memory ran out.
 */
bool hp_stacks_add(struct hp_stacks *stacks, uint64_t newest, uint32_t thread);

/**
 * Add the stack of an allocation, whose thread is the first of the model.
 *
 * @param at
 *         The offset of the stack.
 * @param number
 *         Set to its index in `joined`; HP_STACKS_NONE if there is no valid stack at the offset.
 * @return
 *         False when memory ran out.
 */
bool hp_stacks_add_memory(struct hp_stacks *stacks, uint64_t at,
			  const struct hp_stack_memory *memory, uint32_t *number);

/**
 * Name the frames, decide which link registers were callers and which stacks are complete, and merge equal stacks.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_stacks_finish(struct hp_stacks *stacks);

/** All that is known of the name of a frame of the model; NULL for code of no file. After hp_stacks_finish. */
const struct hp_name *hp_stacks_name(const struct hp_stacks *stacks,
				     const struct hp_cpu_frame *frame);

void hp_stacks_free(struct hp_stacks *stacks);

#endif
