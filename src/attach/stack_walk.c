/* SPDX-License-Identifier: MIT */
/* Unwinds the stack of a sample: each step is bounded by the copy of the stack, and goes up. */
#include "stack_walk.h"

#include <string.h>

enum step {
	/* The caller was found. */
	STEP_ON,
	/* The function was called by nobody. */
	STEP_END,
	/* The stack cannot be walked any further. */
	STEP_LOST,
};

struct walk {
	struct hp_code_map *code;
	const struct hp_perf_sample *sample;
	struct hp_sampled_stack *stack;
	/* The function that the walk has come to, and how many it has left. */
	struct hp_stack_place place;
	size_t left;
	/* Where the interrupted function returns to. */
	uintptr_t first_return;
	/* The stack pointer is not known: after a frame record on aarch64, which may be anywhere in a stack frame. */
	bool lost_sp;
	/* All code of files was left by rules so far. */
	bool by_rules;
};

static bool push(struct hp_sampled_stack *stack, uint64_t frame)
{
	if (stack->depth == HP_STACK_DEPTH_MAX) {
		stack->end = HP_STACK_DEEP;
		return false;
	}
	stack->frames[stack->depth++] = frame;
	return true;
}

/* Read a word of the copy. */
static bool read_copy(const void *context, uintptr_t address, uintptr_t *word)
{
	const struct hp_perf_sample *sample = context;
	uintptr_t into = address - sample->registers.sp;

	if (into >= sample->stack_size || sample->stack_size - into < sizeof(*word))
		return false;
	memcpy(word, sample->stack + into, sizeof(*word));
	return true;
}

/* ---- steps ---- */

static enum step step_by_record(struct walk *walk)
{
	struct hp_stack_place *place = &walk->place;
	uintptr_t fp = place->at.fp, caller, returns;

	if (!fp)
		return STEP_END;
	if (fp < place->below || !read_copy(walk->sample, fp, &caller) ||
	    !read_copy(walk->sample, fp + sizeof(caller), &returns))
		return STEP_LOST;
	place->at = (struct hp_registers){ .pc = returns & HP_ADDRESS_BITS,
					   .sp = fp + sizeof(caller) + sizeof(returns),
					   .fp = caller };
	place->returned = true;
#if defined(__x86_64__)
	place->below = place->at.sp;
#else
	walk->lost_sp = true;
	place->below = fp + 1;
#endif
	return place->at.pc ? STEP_ON : STEP_END;
}

static enum step step_by_rule(struct walk *walk, uint64_t rule)
{
	if (!hp_step_by_rule(&walk->place, rule, read_copy, walk->sample))
		return STEP_LOST;
	walk->lost_sp = false;
	return walk->place.at.pc ? STEP_ON : STEP_END;
}

/* The code of the program is not read here: a return address that was replaced is not seen. */
static enum step step_from_landing(struct walk *walk, uint64_t rule)
{
#if defined(__aarch64__)
	if (!walk->lost_sp)
		return step_by_rule(walk, hp_rule_of_landing(rule));
#else
	(void)rule;
#endif
	return step_by_record(walk);
}

static enum step step_to_interrupted(struct walk *walk)
{
	if (walk->lost_sp || !hp_step_to_interrupted(&walk->place, read_copy, walk->sample))
		return STEP_LOST;
	return walk->place.at.pc ? STEP_ON : STEP_END;
}

/* Go to the caller of a function whose frame was put: by the rule for its address, or along the frame pointer. */
static enum step step(struct walk *walk, uint64_t frame)
{
	uint64_t rule = hp_code_map_rule(walk->code, walk->place.at.pc, walk->place.returned);

	switch (hp_rule_kind(rule)) {
	case HP_RULE_SP:
	case HP_RULE_AT_SP:
		if (walk->lost_sp)
			break;
		return step_by_rule(walk, rule);
	case HP_RULE_FP:
	case HP_RULE_AT_FP:
	case HP_RULE_ALIGNED:
		return step_by_rule(walk, rule);
	case HP_RULE_SIGNAL:
		return step_to_interrupted(walk);
	case HP_RULE_RBX:
		if (!hp_step_has_rbx(&walk->place.at))
			break;
		return step_by_rule(walk, rule);
	case HP_RULE_LANDING:
		return step_from_landing(walk, rule);
	case HP_RULE_OUTERMOST:
		return STEP_END;
	default:
		break;
	}
	walk->by_rules &= hp_frame_kind(frame) != HP_FRAME_CODE;
	return step_by_record(walk);
}

/* ---- the walk ---- */

/*
 * Put what may be the caller of code without a rule: the link register or, on x86-64, the word on top of the stack. The reader,
 * which knows functions, can tell.
 */
static void push_link(struct walk *walk)
{
	uintptr_t link = walk->sample->registers.link;

#if !defined(__aarch64__)
	if (!read_copy(walk->sample, walk->sample->registers.sp, &link))
		return;
#endif
	uint64_t frame = link ? hp_code_map_frame(walk->code, HP_FRAME_LINK, link, false) : 0;
	if (hp_frame_kind(frame) == HP_FRAME_LINK)
		push(walk->stack, frame);
}

/* Put the interrupted function, and step to its caller. */
static enum step begin(struct walk *walk)
{
	uint64_t pc = walk->place.at.pc;
	uint64_t frame = hp_code_map_frame(walk->code, HP_FRAME_CODE, pc, true);

	push(walk->stack, frame ? frame : hp_frame(HP_FRAME_ADDRESS, 0, pc));
	if (hp_frame_kind(frame) == HP_FRAME_CODE && !hp_code_map_rule(walk->code, pc, false))
		push_link(walk);
	enum step last = step(walk, frame);
	walk->first_return = walk->place.at.pc;
	return last;
}

/* Frames after the first are taken for return addresses: one that was interrupted is told by the address after it. */
static enum step follow(struct walk *walk, enum step last)
{
	while (last == STEP_ON) {
		const struct hp_stack_place *place = &walk->place;
		uint64_t frame = hp_code_map_frame(walk->code, HP_FRAME_CODE,
						   place->at.pc + !place->returned, false);
		walk->left++;
		if (!frame)
			return STEP_LOST;
		if (!push(walk->stack, frame))
			return STEP_ON;
		last = step(walk, frame);
	}
	return last;
}

/* ---- frame pointers ---- */

/* Put return addresses of the kernel's walk, from an index on. What follows an address without code is none either. */
static void push_chain(struct hp_code_map *code, const struct hp_perf_sample *sample, size_t from,
		       size_t depth, struct hp_sampled_stack *stack)
{
	for (size_t i = from; i < sample->count; i++) {
		uint64_t frame = hp_code_map_frame(code, HP_FRAME_CODE, sample->addresses[i],
						   false);
		if (!frame || !push(stack, frame))
			break;
	}
	if (sample->count >= depth)
		stack->end = HP_STACK_DEEP;
}

/*
 * The index in the kernel's walk of what called the function in which ours was lost; 0 when the kernel did not come there. It misses
 * the caller of a function that has not set up its frame pointer: then it is one function less.
 */
static size_t place_in_chain(const struct walk *walk)
{
	const struct hp_perf_sample *sample = walk->sample;
	bool misses_one = walk->left && sample->count > 1 &&
			  sample->addresses[1] != walk->first_return;
	size_t at = walk->left - misses_one;

	if (at + 1 >= sample->count || sample->addresses[at] != walk->place.at.pc)
		return 0;
	return at + 1;
}

/* The kernel does not tell why its walk has ended: whether the stack is whole is known to the reader, by the names of
   functions that have no caller. */
static void walk_chain(struct hp_code_map *code, const struct hp_perf_sample *sample, size_t depth,
		       struct hp_sampled_stack *stack)
{
	if (!sample->count)
		return;
	uint64_t first = hp_code_map_frame(code, HP_FRAME_CODE, sample->addresses[0], true);
	push(stack, first ? first : hp_frame(HP_FRAME_ADDRESS, 0, sample->addresses[0]));
	push_chain(code, sample, 1, depth, stack);
}

static void walk_copy(struct walk *walk, size_t depth)
{
	struct hp_sampled_stack *stack = walk->stack;
	enum step last = follow(walk, begin(walk));
	size_t more = last == STEP_LOST ? place_in_chain(walk) : 0;

	if (last != STEP_ON)
		stack->end = last == STEP_END ? HP_STACK_WHOLE : HP_STACK_BROKEN;
	if (more)
		push_chain(walk->code, walk->sample, more, depth, stack);
	else if (walk->by_rules)
		stack->end |= HP_STACK_BY_RULES;
}

void hp_stack_walk(struct hp_code_map *code, const struct hp_perf_sample *sample, size_t depth,
		   struct hp_sampled_stack *stack)
{
	struct walk walk = { .code = code,
			     .sample = sample,
			     .stack = stack,
			     .place = { .at = sample->registers, .below = sample->registers.sp },
			     .by_rules = true };

	stack->depth = 0;
	stack->end = HP_STACK_BROKEN;
	if (sample->stack_size)
		walk_copy(&walk, depth);
	else
		walk_chain(code, sample, depth, stack);
}
