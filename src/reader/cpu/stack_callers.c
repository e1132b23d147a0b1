/* SPDX-License-Identifier: MIT */
/*
 * Decides what only the names of functions can tell about a stack: whether the link register held a caller, and whether
 * the stack is complete.
 */
#include "stack_callers.h"

#include <string.h>

/* Entry functions without a caller: frames beyond them are not code of the program. */
static const char outermost[][24] = {
	"main",
	"_start",
	"__libc_start_main",
	"__libc_start_call_main",
	"start_thread",
	"thread_start",
	"clone",
	"clone3",
	"__clone",
	"__clone3",
	"libc_start_main_stage2",
};

static bool is_code(const struct hp_stacks *stacks, uint32_t place)
{
	enum hp_frame_kind kind = stacks->places[place & ~HP_PLACE_IS_LINK].kind;

	return kind != HP_FRAME_SITE && kind != HP_FRAME_WAIT;
}

/* The next code frame from an index on; UINT32_MAX if there is none. */
static uint32_t next_code(const struct hp_stacks *stacks, const struct hp_cpu_stack *stack,
			  uint32_t at)
{
	while (at < stack->depth && !is_code(stacks, stack->frames[at]))
		at++;
	return at < stack->depth ? stack->frames[at] : UINT32_MAX;
}

static bool is_other_function(const struct hp_stacks *stacks, uint32_t a, uint32_t b)
{
	const struct hp_name *one = hp_names_find(&stacks->names, a);
	const struct hp_name *other = hp_names_find(&stacks->names, b);

	if (stacks->places[a].module != stacks->places[b].module)
		return true;
	if (one && other && one->has_entry && other->has_entry)
		return one->entry != other->entry;
	return one && other && one->has_entry != other->has_entry;
}

/*
 * Whether the value in the link register, or at the top of the stack, is the caller of the first frame. The
 * value is something else if the function has called another since (link register) or pushed something (stack top).
 * If the frame pointer has led to the caller already, the value would add it a second time.
 */
static bool is_caller(const struct hp_stacks *stacks, uint32_t first, uint32_t link, uint32_t next)
{
	const struct hp_name *name = hp_names_find(&stacks->names, first);

	return link != next && (!name || name->may_link) && is_other_function(stacks, first, link);
}

static bool hides_caller(const struct hp_stacks *stacks, uint32_t place)
{
	const struct hp_name *name = hp_names_find(&stacks->names, place);

	return name && name->hides_caller;
}

static bool is_outermost(const char *name)
{
	for (size_t i = 0; i < sizeof(outermost) / sizeof(*outermost); i++)
		if (strcmp(name, outermost[i]) == 0)
			return true;
	return false;
}

static void move_frame(uint32_t *frames, uint32_t from, uint32_t to)
{
	uint32_t frame = frames[from];

	if (from < to)
		memmove(&frames[from], &frames[from + 1], (to - from) * sizeof(*frames));
	else
		memmove(&frames[to + 1], &frames[to], (from - to) * sizeof(*frames));
	frames[to] = frame;
}

void hp_stack_decide_link(const struct hp_stacks *stacks, struct hp_cpu_stack *stack)
{
	uint32_t *frames = stack->frames, link = 0, first = 0;

	while (link < stack->depth && !(frames[link] & HP_PLACE_IS_LINK))
		link++;
	if (link == stack->depth)
		return;
	while (first < link && !is_code(stacks, frames[first]))
		first++;
	frames[link] &= ~HP_PLACE_IS_LINK;
	uint32_t next = next_code(stacks, stack, link + 1);
	bool kept = first < link && is_caller(stacks, frames[first], frames[link], next);
	if (!kept) {
		move_frame(frames, link, stack->depth - 1);
		stack->depth--;
	}
	if (first < link)
		move_frame(frames, first,
			   kept || hides_caller(stacks, frames[first]) ? 0 : link - 1);
}

bool hp_stack_is_whole(const struct hp_stacks *stacks, const struct hp_cpu_stack *stack)
{
	const struct hp_name *last = NULL;
	unsigned codes = 0;

	for (uint32_t i = 0; i < stack->depth; i++) {
		if (!is_code(stacks, stack->frames[i]))
			continue;
		if (last && is_outermost(last->text))
			return true;
		if (last && last->hides_caller && !stack->by_rules)
			return false;
		last = hp_names_find(&stacks->names, stack->frames[i]);
		codes++;
	}
	return (stack->whole && (codes > 1 || stack->by_rules)) ||
	       (last && is_outermost(last->text));
}
