/* SPDX-License-Identifier: MIT */
/* The stacks with which the blocks of live rows were allocated. */
#include "live_stacks.h"

#include "function_stacks.h"
#include "memory/responsible.h"

#include <stdlib.h>

/* A stack of which something is live, and the row that it belongs to. */
struct item {
	const struct hp_cpu_stack *stack;
	struct hp_responsible found;
};

struct hp_live_stacks {
	const struct hp_model *model;
	struct item *items;
	size_t count;
};

static int by_live_bytes(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	const struct hp_stack_memory *one = &a->stack->memory, *other = &b->stack->memory;
	int order = (one->live_bytes < other->live_bytes) - (one->live_bytes > other->live_bytes);

	/* Equal stacks stay in the order of the model. */
	return order ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

static void collect(struct hp_live_stacks *stacks, const uint8_t *roles)
{
	const struct hp_cpu *cpu = &stacks->model->allocations;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		const struct hp_cpu_stack *stack = &cpu->stacks[i];
		if (stack->memory.live_blocks)
			stacks->items[stacks->count++] =
				(struct item){ stack, hp_find_responsible(cpu, roles, stack) };
	}
	if (stacks->count)
		qsort(stacks->items, stacks->count, sizeof(*stacks->items), by_live_bytes);
}

struct hp_live_stacks *hp_live_stacks_open(const struct hp_model *model)
{
	struct hp_live_stacks *stacks = calloc(1, sizeof(*stacks));
	uint8_t *roles = hp_frame_roles(&model->allocations);
	struct item *items = calloc(model->allocations.stack_count + 1, sizeof(*items));

	if (!stacks || !roles || !items) {
		free(items);
		free(roles);
		free(stacks);
		return NULL;
	}
	*stacks = (struct hp_live_stacks){ model, items, 0 };
	collect(stacks, roles);
	free(roles);
	return stacks;
}

void hp_live_stacks_close(struct hp_live_stacks *stacks)
{
	if (stacks)
		free(stacks->items);
	free(stacks);
}

/* The next stack of a row, from an index on, which is moved behind it; NULL if there is none. */
static const struct hp_cpu_stack *next_of(const struct hp_live_stacks *stacks,
					  const struct hp_live *live, size_t *at)
{
	while (*at < stacks->count) {
		const struct item *item = &stacks->items[(*at)++];
		if (hp_live_is_of(live, stacks->model, &item->found))
			return item->stack;
	}
	return NULL;
}

static const struct hp_cpu_frame *frame_of(const struct hp_live_stacks *stacks,
					   const struct hp_cpu_stack *stack, uint32_t nth)
{
	return &stacks->model->allocations.frames[stack->frames[nth]];
}

/* ---- text ---- */

void hp_live_stacks_write(const struct hp_live_stacks *stacks, const struct hp_live *live,
			  size_t most, struct hp_text *text)
{
	const struct hp_cpu_stack *stack;
	size_t at = 0;

	for (size_t i = 0; i < most && (stack = next_of(stacks, live, &at)); i++) {
		if (i == 0) {
			hp_text_putc(text, '\n');
			hp_text_put_printable(text, live->name);
			if (live->location)
				hp_text_puts(text, ", ");
			hp_text_put_printable(text, live->location ? live->location : "");
			hp_text_puts(text, ":\n");
		}
		hp_stack_write(&stacks->model->allocations, stack, stack->memory.live_bytes,
			       stack->memory.live_blocks, text);
	}
}

/* ---- JSON ---- */

static void put_frame_objects(struct hp_json *json, const struct hp_cpu_frame *frame)
{
	for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++) {
		hp_json_begin_object(json);
		hp_json_member_string(json, "name", hp_cpu_frame_level(frame, level));
		hp_json_member_string(json, "location", hp_cpu_frame_level_location(frame, level));
		hp_json_end_object(json);
	}
}

static void put_stack_object(struct hp_json *json, const struct hp_live_stacks *stacks,
			     const struct hp_cpu_stack *stack)
{
	hp_json_begin_object(json);
	hp_json_member_u64(json, "bytes", stack->memory.live_bytes);
	hp_json_member_u64(json, "blocks", stack->memory.live_blocks);
	hp_json_member_bool(json, "whole", stack->whole);
	hp_json_key(json, "frames");
	hp_json_begin_array(json);
	for (uint32_t i = 0; i < stack->depth; i++)
		put_frame_objects(json, frame_of(stacks, stack, i));
	hp_json_end_array(json);
	hp_json_end_object(json);
}

void hp_live_stacks_json(const struct hp_live_stacks *stacks, const struct hp_live *live,
			 size_t most, struct hp_json *json)
{
	const struct hp_cpu_stack *stack;
	size_t at = 0;

	hp_json_key(json, "stacks");
	hp_json_begin_array(json);
	for (size_t i = 0; i < most && (stack = next_of(stacks, live, &at)); i++)
		put_stack_object(json, stacks, stack);
	hp_json_end_array(json);
}
