/* SPDX-License-Identifier: MIT */
/* The stacks with which a function has allocated, as text. */
#include "function_stacks.h"

#include "arithmetic.h"
#include "file_name.h"
#include "format.h"
#include "memory/responsible.h"

#include <stdlib.h>
#include <string.h>

/* ---- one stack ---- */

static const struct hp_cpu_frame *frame_of(const struct hp_cpu *cpu,
					   const struct hp_cpu_stack *stack, uint32_t nth)
{
	return &cpu->frames[stack->frames[nth]];
}

/* The width of the column of names: that of the longest, unless that is very long. */
static size_t name_width(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	enum { MOST = 40 };
	size_t width = 0;

	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct hp_cpu_frame *frame = frame_of(cpu, stack, i);
		for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++)
			width = hp_max(width, strlen(hp_cpu_frame_level(frame, level)));
	}
	return width < MOST ? width : MOST;
}

static void put_level(const char *name, const char *location, size_t width, struct hp_text *text)
{
	size_t length = strlen(name);

	hp_text_puts(text, "    ");
	hp_text_put_printable(text, name);
	if (location) {
		hp_text_printf(text, "%*s", (int)(length < width ? width - length : 0) + 2, "");
		hp_text_put_printable(text, hp_file_name(location));
	}
	hp_text_putc(text, '\n');
}

/* Functions that were inlined are lines of their own, before the one around them. */
static void put_frame(const struct hp_cpu_frame *frame, size_t width, struct hp_text *text)
{
	for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++)
		put_level(hp_cpu_frame_level(frame, level),
			  hp_cpu_frame_level_location(frame, level), width, text);
}

void hp_stack_write(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack, uint64_t bytes,
		    uint64_t blocks, struct hp_text *text)
{
	size_t width = name_width(cpu, stack);

	hp_text_printf(text, "  %s in %s block%s, allocated in\n", hp_format_bytes(bytes).text,
		       hp_format_count(blocks).text, blocks == 1 ? "" : "s");
	for (uint32_t i = 0; i < stack->depth; i++)
		put_frame(frame_of(cpu, stack, i), width, text);
	if (!stack->whole)
		hp_text_puts(text, "    ...\n");
}

/* ---- those of a function ---- */

/* Functions of one name in several files are different ones. A measured function may have another file than its code. */
static bool is_function(const struct hp_cpu *cpu, const struct hp_cpu_frame *frame,
			const char *name, const struct hp_function *function)
{
	const char *path = frame->module >= 0 ? cpu->modules[frame->module].path : NULL;

	return strcmp(name, function->name) == 0 &&
	       (function->kind != HP_SITE_CALL ||
		strcmp(path ? hp_file_name(path) : "",
		       function->module ? hp_file_name(function->module) : "") == 0);
}

static bool is_responsible(const struct hp_cpu *cpu, const uint8_t *roles,
			   const struct hp_cpu_stack *stack, const struct hp_function *function)
{
	struct hp_responsible found = hp_find_responsible(cpu, roles, stack);

	return found.frame && is_function(cpu, found.frame, found.name, function);
}

static bool is_in(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack,
		  const struct hp_function *function)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct hp_cpu_frame *frame = frame_of(cpu, stack, i);
		for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++)
			if (is_function(cpu, frame, hp_cpu_frame_level(frame, level), function))
				return true;
	}
	return false;
}

static int by_bytes(const void *left, const void *right)
{
	const struct hp_cpu_stack *a = *(const struct hp_cpu_stack *const *)left;
	const struct hp_cpu_stack *b = *(const struct hp_cpu_stack *const *)right;
	int order = (a->memory.bytes < b->memory.bytes) - (a->memory.bytes > b->memory.bytes);

	/* Equal stacks stay in the order of the model. */
	return order ? order : (a > b) - (a < b);
}

/* Find the stacks of a function, those with most bytes first. Returns how many there are. */
static size_t collect(const struct hp_cpu *cpu, const uint8_t *roles,
		      const struct hp_function *function, const struct hp_cpu_stack **stacks)
{
	size_t count = 0;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		const struct hp_cpu_stack *stack = &cpu->stacks[i];
		if (stack->memory.blocks &&
		    (function->kind == HP_SITE_CALL ? is_responsible(cpu, roles, stack, function)
						    : is_in(cpu, stack, function)))
			stacks[count++] = stack;
	}
	if (count)
		qsort(stacks, count, sizeof(*stacks), by_bytes);
	return count;
}

void hp_function_stacks_write(const struct hp_model *model, const struct hp_function *function,
			      size_t most, struct hp_text *text)
{
	const struct hp_cpu *cpu = &model->allocations;
	const struct hp_cpu_stack **stacks = calloc(cpu->stack_count + 1, sizeof(*stacks));
	uint8_t *roles = hp_frame_roles(cpu);
	size_t count = stacks && roles ? collect(cpu, roles, function, stacks) : 0;

	text->failed |= !stacks || !roles;
	for (size_t i = 0; i < count && i < most; i++)
		hp_stack_write(cpu, stacks[i], stacks[i]->memory.bytes, stacks[i]->memory.blocks,
			       text);
	free(stacks);
	free(roles);
}
