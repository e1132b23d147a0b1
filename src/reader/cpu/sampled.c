/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function, from the stacks that were sampled, or from those of allocations. */
#include "cpu/sampled.h"

#include "arithmetic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows of what is around the outermost function of a stack, after those of the functions. */
enum { AT_START, NOT_KNOWN, ENDS };

static const char *const end_names[ENDS] = { [AT_START] = "<none>", [NOT_KNOWN] = "<unknown>" };

struct work {
	struct hp_sampled *sampled;
	const struct hp_cpu *cpu;
	const struct hp_native *native;
	/* The functions of the present stack, innermost first; of a frame, those that were inlined before the one around them. */
	size_t *levels;
	size_t count;
	/* The profiler, where it calls for the program, as its probes do: the program's function is the caller. SIZE_MAX if it is
	   asked for itself. */
	size_t looked_through;
};

/* ---- rows ---- */

/* A stack counts once. */
static void count(struct hp_sampled_row *row, const struct hp_cpu *cpu, size_t stack, bool self)
{
	uint64_t samples = cpu->stacks[stack].samples;

	if (row->last != stack + 1) {
		row->samples += samples;
		hp_stack_memory_add(&row->memory, &cpu->stacks[stack].memory);
	}
	row->last = stack + 1;
	if (self)
		row->self += samples;
}

static int by_samples(const void *left, const void *right)
{
	const struct hp_sampled_row *a = left, *b = right;
	int order = (a->samples < b->samples) - (a->samples > b->samples);

	if (order == 0)
		order = (a->self < b->self) - (a->self > b->self);
	if (order == 0)
		order = (a->memory.bytes < b->memory.bytes) - (a->memory.bytes > b->memory.bytes);
	return order ? order : strcmp(a->name, b->name);
}

/* Remove rows without samples, too. */
static void sort(struct hp_sampled_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].samples || rows->items[i].memory.blocks)
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
	if (kept)
		qsort(rows->items, kept, sizeof(*rows->items), by_samples);
}

static bool open_rows(struct hp_sampled_rows *rows, const struct hp_native *native)
{
	rows->items = calloc(native->count + ENDS, sizeof(*rows->items));
	if (!rows->items)
		return false;
	for (size_t i = 0; i < native->count; i++)
		rows->items[i] = (struct hp_sampled_row){ .name = native->functions[i].name,
							  .module = native->functions[i].module };
	for (size_t i = 0; i < ENDS; i++)
		rows->items[native->count + i] = (struct hp_sampled_row){ .name = end_names[i] };
	rows->count = native->count + ENDS;
	return true;
}

/* ---- stacks ---- */

/* Direct recursion is one level. */
static void push(struct work *work, size_t function)
{
	if (work->count && function == work->looked_through)
		return;
	if (!work->count || work->levels[work->count - 1] != function)
		work->levels[work->count++] = function;
}

static void expand(struct work *work, const struct hp_cpu_stack *stack)
{
	work->count = 0;
	for (uint32_t i = 0; i < stack->depth; i++) {
		uint32_t frame = stack->frames[i];
		const size_t *first = &work->native->first[frame];
		if (!hp_native_is_code(&work->cpu->frames[frame]))
			continue;
		for (size_t at = first[0]; at < first[1]; at++)
			push(work, work->native->levels[at]);
	}
}

static size_t caller_of(const struct work *work, size_t level, bool is_whole)
{
	if (level + 1 < work->count)
		return work->levels[level + 1];
	return work->native->count + (is_whole ? AT_START : NOT_KNOWN);
}

static void add_stack(struct work *work, size_t nth)
{
	const struct hp_cpu_stack *stack = &work->cpu->stacks[nth];
	struct hp_sampled *sampled = work->sampled;
	bool found = false;

	expand(work, stack);
	for (size_t i = 0; i < work->count; i++) {
		if (!sampled->wanted[work->levels[i]])
			continue;
		found = true;
		sampled->self += i == 0 ? stack->samples : 0;
		count(&sampled->callers.items[caller_of(work, i, stack->whole)], work->cpu, nth,
		      i == 0);
		if (i > 0)
			count(&sampled->callees.items[work->levels[i - 1]], work->cpu, nth, i == 1);
	}
	if (!found)
		return;
	sampled->samples += stack->samples;
	hp_stack_memory_add(&sampled->memory, &stack->memory);
}

static bool is_meant(const struct hp_function *function, const char *name, const char *module)
{
	if (strcmp(function->name, name) != 0)
		return false;
	return !module || (function->module && strcmp(function->module, module) == 0);
}

/* The number of functions in the deepest stack. */
static size_t deepest(const struct hp_cpu *cpu)
{
	size_t most = 0;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		size_t depth = 0;
		for (uint32_t j = 0; j < cpu->stacks[i].depth; j++)
			depth += hp_cpu_frame_levels(&cpu->frames[cpu->stacks[i].frames[j]]);
		most = hp_max(most, depth);
	}
	return most;
}

static size_t find_own(const struct hp_native *native)
{
	size_t at = 0;

	while (at < native->count && strcmp(native->functions[at].name, HP_CPU_OWN) != 0)
		at++;
	return at < native->count ? at : SIZE_MAX;
}

/* CPU time without a stack, such as "<kernel>": who called is not known. */
static void add_rest(struct hp_sampled *sampled, const struct hp_native *native, const char *name)
{
	for (size_t i = 0; i < native->rest_count; i++) {
		const struct hp_function *rest = &native->rests[i];
		if (strcmp(rest->name, name) != 0)
			continue;
		struct hp_sampled_row *row = &sampled->callers.items[native->count + NOT_KNOWN];
		sampled->samples = sampled->self = rest->cpu.samples;
		row->samples = row->self = rest->cpu.samples;
	}
}

int hp_sampled_read(struct hp_sampled *sampled, const struct hp_cpu *cpu,
		    const struct hp_native *native, const char *name, const char *module)
{
	struct work work = { .sampled = sampled,
			     .cpu = cpu,
			     .native = native,
			     .levels = calloc(deepest(cpu) + 1, sizeof(size_t)),
			     .looked_through = find_own(native) };
	bool done, is_there = false;

	*sampled = (struct hp_sampled){ .wanted = calloc(native->count + 1, sizeof(bool)) };
	done = work.levels && sampled->wanted && open_rows(&sampled->callers, native) &&
	       open_rows(&sampled->callees, native);
	for (size_t i = 0; done && i < native->count; i++)
		is_there |= sampled->wanted[i] = is_meant(&native->functions[i], name, module);
	if (done && !is_there)
		add_rest(sampled, native, name);
	if (is_there && strcmp(name, HP_CPU_OWN) == 0)
		work.looked_through = SIZE_MAX;
	for (size_t i = 0; is_there && i < cpu->stack_count; i++)
		add_stack(&work, i);
	sort(&sampled->callers);
	sort(&sampled->callees);
	free(work.levels);
	if (!done)
		return -ENOMEM;
	return sampled->samples || sampled->memory.blocks ? 0 : -ENOENT;
}

void hp_sampled_free(struct hp_sampled *sampled)
{
	free(sampled->callers.items);
	free(sampled->callees.items);
	free(sampled->wanted);
	*sampled = (struct hp_sampled){ .samples = 0 };
}
