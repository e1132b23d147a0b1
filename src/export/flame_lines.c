/* SPDX-License-Identifier: MIT */
/* The hottest lines of functions, for the tooltips of a flame graph. */
#include "flame_lines.h"

#include "array.h"
#include "format.h"
#include "lower_bound.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LINES_SHOWN = 3 };

static bool is_same(const void *things, uint32_t number, const void *key)
{
	const struct hp_flame_lines *lines = things;
	const struct hp_flame_line *a = key, *b = &lines->items[number];

	return a->function == b->function && a->line == b->line;
}

/* Count the value of a stack for a line. */
static bool count(struct hp_flame_lines *lines, struct hp_level level, uint64_t value, size_t nth)
{
	struct hp_flame_line like = { .function = level.function, .line = level.line };
	uint64_t hash = hp_hash(0, (uint64_t)like.function << 32 | like.line);
	uint32_t next = lines->count, number;

	lines->index.is_same = is_same;
	if (!hp_array_reserve(&lines->items, next, &lines->room, sizeof(like)) ||
	    !hp_intern(&lines->index, hash, lines, &like, next, &number))
		return false;
	if (number == next)
		lines->items[lines->count++] = like;
	if (lines->items[number].last != nth + 1)
		lines->items[number].value += value;
	lines->items[number].last = nth + 1;
	return true;
}

static bool count_frame(struct hp_flame_lines *lines, const struct hp_levels *levels,
			uint64_t value, size_t nth)
{
	bool done = true;

	for (uint32_t i = 0; i < levels->count && done; i++) {
		struct hp_level whole = { levels->items[i].function, 0 };
		done = count(lines, whole, value, nth) &&
		       (!levels->items[i].line || count(lines, levels->items[i], value, nth));
	}
	return done;
}

/* The whole function has at least the value of each line of it. */
static int by_value(const void *left, const void *right)
{
	const struct hp_flame_line *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return (a->line > b->line) - (a->line < b->line);
}

int hp_flame_lines_read(struct hp_flame_lines *lines, const struct hp_profile *profile)
{
	const struct hp_cpu *cpu = profile->cpu;
	bool done = true;

	for (size_t i = 0; i < cpu->stack_count && done; i++) {
		const struct hp_cpu_stack *stack = &cpu->stacks[i];
		struct hp_values values = profile->subject->values_of(cpu, stack);
		for (uint32_t j = 0; j < stack->depth && done; j++)
			done = count_frame(lines, &profile->levels[stack->frames[j]],
					   hp_profile_main(profile, &values), i);
	}
	if (lines->count)
		qsort(lines->items, lines->count, sizeof(*lines->items), by_value);
	return done ? 0 : -ENOMEM;
}

static bool is_before(const void *line, const void *function)
{
	return ((const struct hp_flame_line *)line)->function < *(const uint32_t *)function;
}

void hp_flame_lines_put(const struct hp_flame_lines *lines, uint32_t function, struct hp_text *text)
{
	size_t first = hp_lower_bound(&function, lines->items, lines->count, sizeof(*lines->items),
				      is_before);

	for (size_t i = first + 1; i <= first + LINES_SHOWN && i < lines->count; i++) {
		const struct hp_flame_line *line = &lines->items[i];
		if (line->function != function || !line->value || !lines->items[first].value)
			break;
		double share = (double)line->value * 100 / (double)lines->items[first].value;
		hp_text_printf(text, "%s %" PRIu32 " (%s)",
			       i > first + 1 ? "," : "\nhottest lines:", line->line,
			       hp_format_percent(share).text);
	}
}

void hp_flame_lines_free(struct hp_flame_lines *lines)
{
	free(lines->items);
	hp_intern_free(&lines->index);
	*lines = (struct hp_flame_lines){ .items = NULL };
}
